/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Ctrl-C, Ctrl-Break, and the end of the console or of the session. The system has a thread for them. */
#include <signal.h>
#include <windows.h>

#include "interrupt.h"

const char *interrupt_name(int signal)
{
    return signal == SIGINT     ? "Ctrl-C"
           : signal == SIGBREAK ? "Ctrl-Break"
                                : "the end of the console";
}

static BOOL WINAPI handle(DWORD event)
{
    if (interrupt_signal())
        return FALSE; /* the second one: the process ends */
    interrupt_note(event == CTRL_C_EVENT ? SIGINT : event == CTRL_BREAK_EVENT ? SIGBREAK : SIGTERM);
    /* The process does not outlive a console's end by more than some seconds, and not this call. */
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(INFINITE);
    return TRUE;
}

void interrupt_watch(void)
{
    SetConsoleCtrlHandler(handle, TRUE);
}
