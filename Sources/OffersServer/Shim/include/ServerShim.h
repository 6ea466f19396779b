// The functions of libcrypto and of libqrencode that the server calls.
#ifndef OFFERS_SERVER_SHIM_H
#define OFFERS_SERVER_SHIM_H

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <qrencode.h>

#include "SharedLibrary.h"

#define OFFERS_LIBCRYPTO_FUNCTIONS(F) \
  F(CRYPTO_memcmp)                    \
  F(ERR_clear_error)                  \
  F(ERR_error_string_n)               \
  F(ERR_peek_last_error)              \
  F(EVP_Digest)                       \
  F(EVP_PBE_scrypt)                   \
  F(EVP_sha256)                       \
  F(HMAC)                             \
  F(OPENSSL_cleanse)                  \
  F(OpenSSL_version)                  \
  F(RAND_bytes)
OFFERS_DECLARE_LIBRARY(offers_libcrypto, OFFERS_LIBCRYPTO_FUNCTIONS)

#define OFFERS_LIBQRENCODE_FUNCTIONS(F) \
  F(QRcode_encodeData)                  \
  F(QRcode_free)
OFFERS_DECLARE_LIBRARY(offers_libqrencode, OFFERS_LIBQRENCODE_FUNCTIONS)

#endif
