#include "ServerShim.h"

OFFERS_DEFINE_LIBRARY(
    offers_libcrypto, libcrypto, OFFERS_LIBCRYPTO_FUNCTIONS, "libcrypto.so.3", "libcrypto.3.dylib")
OFFERS_DEFINE_LIBRARY(
    offers_libqrencode, libqrencode, OFFERS_LIBQRENCODE_FUNCTIONS, "libqrencode.so.4",
    "libqrencode.4.dylib")
