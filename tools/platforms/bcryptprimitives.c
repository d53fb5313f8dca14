/* Rust's standard library takes random bytes from ProcessPrng of bcryptprimitives.dll, which Wine has since version 9
   only. This does the same by RtlGenRandom of advapi32. For tests under an older Wine; Windows has its own. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length)
{
    while (length > 0) {
        ULONG part = length > 1 << 20 ? 1 << 20 : (ULONG)length;
        if (!RtlGenRandom(bytes, part))
            return FALSE;
        bytes += part;
        length -= part;
    }
    return TRUE;
}
