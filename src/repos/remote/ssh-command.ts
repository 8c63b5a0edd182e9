import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { shellWord } from '../../core/shell-word.ts'

const KEY_FILES = ['id_ed25519', 'id_ecdsa', 'id_rsa']

interface SshOptions {
  /** The server's own file of known host keys; a key that changes later is refused. */
  knownHostsFile: string
  /** Folder with the account's keys, tried in the order ed25519, ecdsa, rsa, after an ssh-agent where there is one. */
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

/** A path for an option of ssh, which expands `%` and splits values at white space. */
const quoteForSsh = (path: string): string => `"${path.replaceAll('%', '%%')}"`

/**
 * The value of GIT_SSH_COMMAND: ssh without any configuration file (which could name a ProxyCommand), that never
 * prompts, and that connects to the checked address while the host's key is looked up by its name. New hosts are
 * accepted on first use and remembered.
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
  return ['ssh', '-F', '/dev/null', ...options.flatMap(option => ['-o', shellWord(option)])].join(' ')
}
