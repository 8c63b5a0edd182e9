import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'tap'
import { isShellFault } from '../../../../src/pipelines/steps/program/shell-fault.ts'

/** What the shells of this machine say of a script. */
async function run(dir: string, argv: string[]): Promise<{ code: number; stderr: string }> {
  const [program = '', ...rest] = argv
  return promisify(execFile)(program, rest, { cwd: dir, env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' } }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: { code: number; stderr: string }) => ({ code: error.code, stderr: error.stderr }),
  )
}

const BROKEN = {
  if: 'if true; then\n  echo x\n',
  quote: 'echo "abc\n',
  token: 'echo (\n',
  loop: 'for i in 1 2; do echo $i; don\n',
  'two words': 'fi\n',
  'x.sh': 'a() { echo\n',
}

test('what a shell cannot read is a fault, whatever the script is called', async t => {
  const dir = t.testdir()
  for (const [name, script] of Object.entries(BROKEN)) {
    writeFileSync(join(dir, name), script)
    for (const argv of [
      ['bash', name],
      ['sh', name],
      ['bash', '-c', script],
      ['sh', '-c', script],
      ['bash', '-c', 'bash "$0"', name],
      ['bash', '-c', 'eval "$0"', script],
    ]) {
      const { code, stderr } = await run(dir, argv)
      if (code !== 2) continue // of `eval`, 1 in some versions
      t.ok(isShellFault(stderr), `${argv.join(' ')}: ${stderr}`)
    }
  }
})

test('a script that is not there is a fault', async t => {
  const dir = t.testdir({ dot: '. ./missing.sh\n' })
  for (const argv of [
    ['sh', 'missing.sh'],
    ['sh', 'dot'],
    ['python3', 'missing.py'],
    ['perl', 'missing.pl'],
  ]) {
    const { code, stderr } = await run(dir, argv)
    if (code !== 2) continue // a program that this machine has not
    t.ok(isShellFault(stderr), `${argv.join(' ')}: ${stderr}`)
  }
  t.ok(isShellFault("/usr/bin/python3: can't open file '/workspace/missing.py': [Errno 2] No such file or directory\n"))
  t.ok(isShellFault('sh: 0: cannot open missing.sh: No such file\n'))
})

test('what a program says that was called wrongly is none, also when it speaks of syntax', async t => {
  for (const stderr of [
    '',
    'usage: main.py [-h] NAME\nmain.py: error: the following arguments are required: NAME\n',
    'query.sql: syntax error at end of input\n',
    'main.c:3: error: syntax error before "x"\n',
    "ls: cannot access 'x': No such file or directory\n",
    'Error: 3 tests failed, unexpected end of file in a.json\n',
    `${'x: 1: '.repeat(20_000)}\n`,
  ]) {
    t.notOk(isShellFault(stderr), stderr.slice(0, 80))
  }
})
