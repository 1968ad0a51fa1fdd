#include "feature/adm/adm_dsp.h"

void adm_dsp_init(AdmDsp *dsp, unsigned bpc, unsigned cpu)
{
    (void)cpu;
    adm_dsp_init_scalar(dsp, bpc);
}
