import { test } from 'tap'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { eventually, processesWith } from '../../helpers/processes.ts'
import { testFolder } from '../../helpers/test-folder.ts'

test('no git process outlives a server that was killed with SIGKILL', async t => {
  const root = testFolder(t)
  createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '1' } })
  const server = await startGitHttpServer(join(root, 'remotes'), { stall: true })
  t.teardown(async () => await server.close())
  const url = `${server.url}/shop.git`
  const program = `
    import { createRepos } from ${JSON.stringify(new URL('../../../src/repos/repos.ts', import.meta.url).href)}
    const repos = createRepos({ clonedReposDir: ${JSON.stringify(join(root, 'clones'))}, allowLocalRepos: [], allowPrivateHosts: true, gitTokens: new Map() })
    await repos.sync({ url: ${JSON.stringify(url)}, projectName: 'shop' }, { signal: new AbortController().signal, onProgress () {} })`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' })
  await Promise.race([
    server.stalled,
    once(parent, 'exit').then(() => {
      throw new Error('the server ended by itself')
    }),
  ])
  const family = () => processesWith(url).filter(command => !command.startsWith(`${parent.pid} `))
  t.ok(
    family().some(command => command.includes('remote-http')),
    'git and its helpers are at work',
  )
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  t.ok(await eventually(() => family().length === 0), family().join('\n'))
})

const guards = [
  ['/bin/sh', '../../../bin/git-guard.sh'],
  [process.execPath, '../../../src/repos/git/git-guard.ts'],
] as const
const startGuard = ([program, file]: (typeof guards)[number], args: string[], path = '/usr/bin:/bin') =>
  spawn(program, [new URL(file, import.meta.url).pathname, ...args], {
    env: { PATH: path },
    stdio: ['pipe', 'pipe', 'pipe'],
  })

for (const guard of guards) {
  const [, file] = guard
  const start = (args: string[], path?: string) => startGuard(guard, args, path)

  test(`${file} hands on arguments, output and the exit code, and names a missing git`, async t => {
    const run = async (args: string[], path?: string) => {
      const child = start(args, path)
      let output = ''
      child.stdout.on('data', chunk => {
        output += chunk
      })
      child.stderr.on('data', chunk => {
        output += chunk
      })
      const [code] = await once(child, 'close')
      return { code, output }
    }
    t.match(await run(['version']), { code: 0, output: /^git version/ })
    t.match(await run(['--no-such-option']), { code: 129, output: /unknown option/ })
    t.match(await run(['version'], '/nonexistent'), { code: 97, output: '' })
    t.match(await run(['-c', "alias.say=!printf '%s|'", 'say', 'a b', '$HOME', "'"]), {
      code: 0,
      output: "a b|$HOME|'|",
    })
  })

  test(`${file} kills git and what git started when it is told to stop, and when nobody holds its stdin any more`, async t => {
    for (const stop of [
      (child: ReturnType<typeof start>) => child.kill('SIGINT'),
      (child: ReturnType<typeof start>) => child.stdin.end(),
    ]) {
      const mark = `${process.pid}${Math.random()}`.replace('.', '')
      const child = start(['-c', `alias.wait=!sleep 300 & echo here; : ${mark}; wait`, 'wait'])
      await once(child.stdout, 'data')
      t.ok(processesWith(mark).length > 0)
      stop(child)
      await once(child, 'close') // no process holds its output any more
      t.ok(await eventually(() => processesWith(mark).length === 0), processesWith(mark).join('\n'))
    }
  })
}

test('the shell guard leaves no git when it is told to stop in its first instants', async t => {
  const mark = `${process.pid}${Math.random()}`.replace('.', '')
  const children = []
  for (let i = 0; i < 120; i++) {
    const child = startGuard(guards[0], ['-c', `alias.wait=!sleep 300 & : ${mark}; wait`, 'wait'])
    const gone = once(child, 'exit')
    const stopAt = performance.now() + (i % 60) / 10
    while (performance.now() < stopAt); // a timer would be too coarse
    child.kill('SIGINT')
    await gone
    children.push(child)
  }
  const left = () => processesWith(mark)
  t.ok(await eventually(() => left().length === 0), left().join('\n'))
  for (const command of left()) process.kill(-Number.parseInt(command, 10), 'SIGKILL')
  // not before: the end of its stdin, too, stops git
  for (const { stdin, stdout, stderr } of children) for (const stream of [stdin, stdout, stderr]) stream.destroy()
})
