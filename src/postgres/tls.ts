import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import type { DatabaseAddress } from '../core/database-url.ts'
import { FaultlineError } from '../core/errors.ts'

/** @throws {FaultlineError} CONFIG_INVALID: there is no such file, or it may not be read. */
function readCertificates(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    const { code = 'unreadable' } = cause as NodeJS.ErrnoException
    const message = `The certificates that sslrootcert of DATABASE_URL names cannot be read (${code}).`
    throw new FaultlineError('CONFIG_INVALID', message, 'Name a file of PEM certificates.', { cause })
  }
}

/**
 * How TLS is spoken with the server; false: not at all. As in libpq, `require` with `sslrootcert` checks who signed the
 * certificate, as `verify-ca` does.
 *
 * @throws {FaultlineError} CONFIG_INVALID: the certificates cannot be read.
 */
export function tlsOptions({
  sslMode,
  rootCertificate,
}: Pick<DatabaseAddress, 'sslMode' | 'rootCertificate'>): ConnectionOptions | false {
  if (sslMode === 'disable') return false
  const ca = rootCertificate === null ? {} : { ca: readCertificates(rootCertificate) }
  if (sslMode === 'verify-full') return ca
  const anyName = { ...ca, checkServerIdentity: () => undefined }
  return sslMode === 'require' && rootCertificate === null ? { ...anyName, rejectUnauthorized: false } : anyName
}

/** Codes of OpenSSL and of Node for certificates that are not believed. */
const CERTIFICATE = /CERT|SIGNATURE|^ERR_(?:TLS|SSL)_|^UNABLE_TO_|_CHAIN|^INVALID_(?:CA|PURPOSE)$|^HOSTNAME_MISMATCH$/
const NO_TLS = /server does not support SSL|establishing an SSL connection/

/** Whether a connection failed since TLS was not to be had, or the certificate is not believed. */
export function isTlsFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code === '' ? NO_TLS.test(error.message) : CERTIFICATE.test(code)
}
