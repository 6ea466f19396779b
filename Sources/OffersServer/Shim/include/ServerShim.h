// The functions of libcrypto and of libqrencode that the server calls.
#ifndef OFFERS_SERVER_SHIM_H
#define OFFERS_SERVER_SHIM_H

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <qrencode.h>

#include "SharedLibrary.h"

#define OFFERS_LIBCRYPTO_FUNCTIONS(F) \
  F(CRYPTO_memcmp)                    \
  F(ERR_clear_error)                  \
  F(ERR_error_string_n)               \
  F(ERR_peek_last_error)              \
  F(EVP_CIPHER_CTX_ctrl)              \
  F(EVP_CIPHER_CTX_free)              \
  F(EVP_CIPHER_CTX_new)               \
  F(EVP_Digest)                       \
  F(EVP_DigestSign)                   \
  F(EVP_DigestSignInit)               \
  F(EVP_EncryptFinal_ex)              \
  F(EVP_EncryptInit_ex)               \
  F(EVP_EncryptUpdate)                \
  F(EVP_MD_CTX_free)                  \
  F(EVP_MD_CTX_new)                   \
  F(EVP_PBE_scrypt)                   \
  F(EVP_PKEY_CTX_free)                \
  F(EVP_PKEY_CTX_new)                 \
  F(EVP_PKEY_derive)                  \
  F(EVP_PKEY_derive_init)             \
  F(EVP_PKEY_derive_set_peer)         \
  F(EVP_PKEY_free)                    \
  F(EVP_aes_128_gcm)                  \
  F(EVP_sha256)                       \
  F(HMAC)                             \
  F(OPENSSL_cleanse)                  \
  F(OpenSSL_version)                  \
  F(RAND_bytes)                       \
  F(d2i_AutoPrivateKey)               \
  F(d2i_PUBKEY)                       \
  F(i2d_PUBKEY)
OFFERS_DECLARE_LIBRARY(offers_libcrypto, OFFERS_LIBCRYPTO_FUNCTIONS)

#define OFFERS_LIBQRENCODE_FUNCTIONS(F) \
  F(QRcode_encodeData)                  \
  F(QRcode_free)
OFFERS_DECLARE_LIBRARY(offers_libqrencode, OFFERS_LIBQRENCODE_FUNCTIONS)

#endif
