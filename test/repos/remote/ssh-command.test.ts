import { test } from 'tap'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { setup } from '../open-repos.ts'

test('ssh is called without configuration, without asking, and at the checked address', async t => {
  const root = t.testdirName
  const { clones, sync } = setup(t, {
    gitSearchPath: `${join(root, 'bin')}:/usr/bin:/bin`,
    sshKeysDir: join(root, 'keys'),
    sshAuthSock: '/run/agent',
    resolveHost: async () => ['127.0.0.1', '::1'],
  })
  const log = join(root, 'argv')
  mkdirSync(join(root, 'bin'))
  mkdirSync(join(root, 'keys'))
  writeFileSync(join(root, 'keys', 'id_ed25519'), '')
  // Stands for ssh: notes how it was called and runs what the server would.
  writeFileSync(
    join(root, 'bin', 'ssh'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${log}'\nenv > '${log}.env'\nfor last; do :; done\nexec sh -c "$last"\n`,
    { mode: 0o755 },
  )
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } })
  const synced = await sync(`git@git.example:${remote.dir}`)
  t.equal(synced.url, `git@git.example:${remote.dir}`)
  const argv = readFileSync(log, 'utf8').split('\n')
  t.same(argv.slice(0, 2), ['-F', '/dev/null'])
  for (const option of [
    'BatchMode=yes',
    'StrictHostKeyChecking=accept-new',
    'ProxyCommand=none',
    'PermitLocalCommand=no',
    'HostName=127.0.0.1',
    'HostKeyAlias=git.example',
    `IdentityFile="${join(root, 'keys', 'id_ed25519')}"`,
    `UserKnownHostsFile="${join(clones, '.faultline', 'known_hosts')}"`,
  ]) {
    t.ok(argv.includes(option), option)
  }
  t.equal(argv.filter(option => option.startsWith('IdentityFile=')).length, 1, 'only of the key that is there')
  t.ok(argv.includes('git@git.example'))
  const env = readFileSync(`${log}.env`, 'utf8')
  t.match(env, 'SSH_AUTH_SOCK=/run/agent')
  const inherited = env
    .split('\n')
    .map(line => line.split('=')[0] ?? '')
    .filter(
      name => process.env[name] !== undefined && !/TAP|^(?:PATH|HOME|LANG|PWD|_|SHLVL|OLDPWD|NODE_OPTIONS)$/.test(name),
    )
  t.same(inherited, [], "nothing of the server's environment") // tap adds variables of its own to every child
})
