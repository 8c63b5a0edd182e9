import { access } from 'node:fs/promises'
import { join } from 'node:path'

const KEY_FILES = ['id_ed25519', 'id_ecdsa', 'id_rsa']

interface SshOptions {
  /** Server-owned file that remembers the host keys seen; a key that changes later is refused. */
  knownHostsFile: string
  /**
   * Folder with the account's keys, tried in the order ed25519, ecdsa, rsa; ssh's agent comes first where there is one.
   */
  keysDir: string | null
}

async function existingKeys(keysDir: string | null): Promise<string[]> {
  if (keysDir === null) return []
  const found: string[] = []
  for (const name of KEY_FILES) {
    const file = join(keysDir, name)
    const isThere = await access(file).then(
      () => true,
      () => false,
    )
    if (isThere) found.push(file)
  }
  return found
}

/** ssh expands `%` and splits at white space inside an option's value. */
const quoteForSsh = (path: string): string => `"${path.replaceAll('%', '%%')}"`

/** git gives the command to a shell. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * The value of GIT_SSH_COMMAND: ssh without any configuration file (which could name a ProxyCommand), that never asks,
 * and that connects to the checked address while the host's key is looked up by its name. New hosts are accepted at
 * first sight and remembered.
 */
export async function sshCommand(
  { knownHostsFile, keysDir }: SshOptions,
  host: string,
  address: string | undefined,
): Promise<string> {
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=accept-new',
    `UserKnownHostsFile=${quoteForSsh(knownHostsFile)}`,
    'ProxyCommand=none',
    'PermitLocalCommand=no',
    'ClearAllForwardings=yes',
    'ControlMaster=no',
    'ControlPath=none',
    'ConnectTimeout=20',
    'ServerAliveInterval=15',
    'ServerAliveCountMax=2',
    ...(address === undefined ? [] : [`HostName=${address}`, `HostKeyAlias=${host}`]),
    ...(await existingKeys(keysDir)).map(file => `IdentityFile=${quoteForSsh(file)}`),
  ]
  return ['ssh', '-F', '/dev/null', ...options.flatMap(option => ['-o', quoteForShell(option)])].join(' ')
}
