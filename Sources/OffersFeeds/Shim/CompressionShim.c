#include "CompressionShim.h"

OFFERS_DEFINE_LIBRARY(
    offers_libbz2, libbz2, OFFERS_LIBBZ2_FUNCTIONS, "libbz2.so.1.0", "libbz2.1.0.dylib")
OFFERS_DEFINE_LIBRARY(
    offers_liblzma, liblzma, OFFERS_LIBLZMA_FUNCTIONS, "liblzma.so.5", "liblzma.5.dylib")
