import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { cliFolder } from '../helpers/cli-folder.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'

test('in a repository a piped trace is enough; the index is kept beside it and follows HEAD', async t => {
  const { home, cli } = cliFolder(t)
  const main = ['import { total } from "./cart.js"', '', 'total()', '']
  const cart = ['export function total (items) {', '  return items.length', '}', '']
  const app = createGitRepository(join(home, 'app'), {
    files: { 'src/main.js': main.join('\n'), 'src/cart.js': cart.join('\n') },
    worktree: true,
  })
  const cwd = join(home, 'app', 'src')
  const trace = (line: number) =>
    "TypeError: Cannot read properties of undefined (reading 'length')\n" +
    `    at total (/srv/app/src/cart.js:${line}:16)\n    at /srv/app/src/main.js:3:1\n`
  const resolve = async (line: number) => {
    const { stdout, stderr, exitCode } = await cli.run(['resolve', '-', '--json'], { cwd, input: trace(line) })
    t.equal(exitCode, EXIT.done, stderr)
    return JSON.parse(stdout)
  }
  const first = await resolve(2)
  t.match(first, {
    project_name: /^app-[0-9a-f]{8}$/,
    frames: [{ path: 'src/main.js' }, { path: 'src/cart.js', code_line: 2 }],
    context: />>> {2}2 \| {3}return items.length/,
  })
  t.equal(app.git('status', '--porcelain', '--ignored'), '', 'nothing is written into the repository')
  t.ok(readdirSync(join(home, 'xdg', 'faultline')).includes('vector_store'))

  const commit = app.commit({ 'src/cart.js': ['// The cart', ...cart].join('\n') })
  t.match(await resolve(3), {
    commit,
    project_name: first.project_name,
    frames: [{}, { code_line: 3 }],
    context: />>> {2}3 \| {3}return items.length/,
  })

  const human = await cli.run(['resolve'], { cwd, input: `\u001B[31m${trace(3)}\u001B]0;owned\u0007` })
  t.equal(human.exitCode, EXIT.done, human.stderr)
  t.match(
    human.stdout,
    /^TypeError: Cannot read properties.*\n {2}> {2}src\/main\.js:3 .*\n {2}> {2}src\/cart\.js:3 {2}total /,
  )
  t.match(human.stdout, /No model is configured/)
  t.notMatch(human.stdout, '\u001B', 'no escape sequence gets through')
})

test('Ctrl-C cancels the job, frees the lock and exits with 130', async t => {
  const { home, cli, data } = cliFolder(t)
  const server = await startGitHttpServer(join(home, 'repos'), { stall: true })
  t.teardown(server.close)
  const child = cli.start(['clone', `${server.url}/shop.git`, ...data], { env: { ALLOW_PRIVATE_HOSTS: 'true' } })
  await server.stalled
  child.kill('SIGINT')
  t.match(await child.finished, { exitCode: EXIT.interrupted, stderr: /Interrupted/ })
  t.match(await cli.run(['jobs', ...data]), { exitCode: EXIT.done, stdout: /cancelled {2}clone {2}shop/ })
})

test('Ctrl-C ends a command that waits for its input', async t => {
  const { home, cli } = cliFolder(t)
  const child = cli.start(['resolve', '-', '--project', 'shop'])
  // more than a pipe holds: it has begun to read
  await new Promise(resolve => child.stdin?.write(Buffer.alloc(1 << 20, 'a'), resolve))
  child.kill('SIGINT')
  t.match(await child.finished, { exitCode: EXIT.interrupted })
  t.strictSame(readdirSync(home), ['repos'], 'nothing was opened before there was something to resolve')
})

test('neither help nor a command in process loads Fastify, and help loads no service', async t => {
  const { home, cli, data } = cliFolder(t)
  const log = join(home, 'loaded.txt')
  const hook = `import { registerHooks } from 'node:module'
    import { appendFileSync } from 'node:fs'
    registerHooks({ resolve (specifier, context, next) { const found = next(specifier, context); appendFileSync(${JSON.stringify(log)}, found.url + '\\n'); return found } })`
  const loadedBy = async (args: string[]) => {
    writeFileSync(log, '')
    t.equal(
      (await cli.run(args, { nodeArgs: [`--import=data:text/javascript,${encodeURIComponent(hook)}`] })).exitCode,
      EXIT.done,
    )
    return readFileSync(log, 'utf8')
  }
  const help = await loadedBy(['resolve', '--help'])
  t.match(help, /node_modules\/commander\//, 'the hook sees what is loaded')
  t.notMatch(help, /node_modules\/(?:fastify|typebox|openai)\/|src\/services\/services\.ts/)
  const projects = await loadedBy(['projects', ...data])
  t.match(projects, /src\/services\/services\.ts/)
  t.notMatch(projects, /node_modules\/fastify\/|src\/http\/app\.ts/)
})
