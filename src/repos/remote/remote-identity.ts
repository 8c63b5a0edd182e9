import { FaultlineError } from '../../core/errors.ts'
import { plainIdentity, readPastedUrl } from './pasted-url.ts'
import { parseRepositoryUrl } from './repository-url.ts'

/** To compare an address does no harm, wherever it leads. */
const ANY_HOST = { allowLocalRepos: [], allowPrivateHosts: true }

/**
 * What is equal for two addresses of one remote; null for none of a remote. Touches neither the network nor the disk.
 */
export async function remoteIdentity(text: string): Promise<string | null> {
  const { url } = readPastedUrl(text)
  if (url.startsWith('/') || /^(?:file|upload):/i.test(url)) return null
  try {
    return plainIdentity((await parseRepositoryUrl(url, ANY_HOST)).identity)
  } catch (error) {
    if (error instanceof FaultlineError) return null
    throw error
  }
}
