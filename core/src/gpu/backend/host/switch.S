/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* void host_switch(void **save, void *load): saves the registers on this stack, stores its pointer
 * in *save, and continues on the stack whose pointer is `load`. Empty on machines where workgroup.c
 * uses ucontext.
 *
 * host_fiber_start is where a new stack starts: it calls the function in one saved register with
 * the argument in another. */
#if defined(__ELF__) && defined(__x86_64__)
    .text
    .globl host_switch
    .hidden host_switch
    .type host_switch, @function
host_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size host_switch, . - host_switch

    .globl host_fiber_start
    .hidden host_fiber_start
    .type host_fiber_start, @function
host_fiber_start:
    .cfi_startproc
    .cfi_undefined rip
    movq %r12, %rdi
    call *%r13
    ud2
    .cfi_endproc
    .size host_fiber_start, . - host_fiber_start

#elif defined(__ELF__) && defined(__aarch64__)
    .text
    .globl host_switch
    .hidden host_switch
    .type host_switch, %function
host_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size host_switch, . - host_switch

    .globl host_fiber_start
    .hidden host_fiber_start
    .type host_fiber_start, %function
host_fiber_start:
    .cfi_startproc
    .cfi_undefined x30
    mov x0, x19
    blr x20
    brk #0
    .cfi_endproc
    .size host_fiber_start, . - host_fiber_start
#endif

#ifdef __ELF__
    .section .note.GNU-stack, "", %progbits
#endif
