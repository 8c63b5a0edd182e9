import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test, type Test } from 'tap'
import { createProgram } from '../../../src/cli/program.ts'
import { allCommands, describeCommand } from '../../../src/cli/shell/command-tree.ts'
import { completionScript, SHELLS } from '../../../src/cli/shell/completion.ts'
import { cliFolder } from '../../helpers/cli-folder.ts'

const tree = describeCommand(
  createProgram({
    version: '1.2.3',
    terminal: { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() } as never,
    run: async () => {},
    serve: async () => {},
    openMcp: async () => Promise.reject(new Error('not opened here')),
  }),
)

const hasShell = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0

/** A folder with files, and a program that lists a project and a job, and one whose name is no name. */
function surroundings(t: Test) {
  const dir = t.testdir({ files: { 'crash one.log': '', 'crash.txt': '', folder: { inner: '' } }, bin: {} })
  const list = (data: object[]) => JSON.stringify({ data, next_cursor: null }, null, 2)
  const projects = list([{ project_name: 'shop' }, { project_name: '$(touch owned)' }])
  const jobs = list([{ id: '4be1-aa', request: { id: 'inner' } }])
  const program = join(dir, 'bin', 'faultline')
  writeFileSync(
    program,
    `#!/bin/sh\ncase $1 in projects) cat <<'E'\n${projects}\nE\n;; jobs) cat <<'E'\n${jobs}\nE\n;; esac\n`,
  )
  chmodSync(program, 0o755)
  mkdirSync(join(dir, 'scripts'))
  for (const shell of SHELLS) writeFileSync(join(dir, 'scripts', shell), completionScript(shell, tree))
  const env = {
    PATH: `${join(dir, 'bin')}:${process.env.PATH ?? ''}`,
    HOME: dir,
    XDG_DATA_HOME: dir,
    LC_ALL: 'C.UTF-8',
  }
  return { cwd: join(dir, 'files'), env, script: (shell: string) => join(dir, 'scripts', shell) }
}

type Complete = (words: string[]) => string[]

const linesOf = (text: string): string[] => text.split('\n').filter(line => line !== '')

// what `${` begins is of the shells
/* eslint-disable no-template-curly-in-string */
function inBash(t: Test): Complete {
  const { cwd, env, script } = surroundings(t)
  const ask =
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _faultline; printf "%s\\n" "${COMPREPLY[@]}"'
  return words =>
    linesOf(execFileSync('bash', ['-c', ask, 'bash', script('bash'), ...words], { cwd, env, encoding: 'utf8' }))
}

/** What the functions of zsh would be given: only a terminal has them. */
function inZsh(t: Test): Complete {
  const { cwd, env, script } = surroundings(t)
  const ask =
    'compdef() {}; _describe() { print -l -- "${(@P)@[-1]%%:*}" }; compadd() { shift; print -l -- "$@" }; ' +
    '_files() { if [[ $1 == -/ ]]; then print -l -- *(/); else print -l -- *; fi }; ' +
    'source "$1"; shift; words=("$@"); CURRENT=$#; _faultline'
  return words => {
    const found = linesOf(
      execFileSync('zsh', ['-fc', ask, 'zsh', script('zsh'), ...words], { cwd, env, encoding: 'utf8' }),
    )
    return found.filter(word => word.startsWith(words.at(-1) ?? ''))
  }
}

/* eslint-enable no-template-curly-in-string */

function inFish(t: Test): Complete {
  const { cwd, env, script } = surroundings(t)
  return words => {
    const ask = `source ${script('fish')}; complete -C ${JSON.stringify(words.join(' '))}`
    const found = execFileSync('fish', ['--no-config', '-c', ask], { cwd, env, encoding: 'utf8' })
    return linesOf(found).map(line => (line.split('\t')[0] ?? '').replace(/\/$/, ''))
  }
}

/** What is offered, whatever the shell; folders of fish end with a slash. */
const OFFERS: ReadonlyArray<readonly [words: string[], offers: string[], not?: string[]]> = [
  [
    ['faultline', ''],
    ['clone', 'jobs', 'completion', 'man', 'resolutions'],
    ['events', 'crash.txt'],
  ],
  [['faultline', 'jo'], ['jobs'], ['clone']],
  [
    ['faultline', 'jobs', ''],
    ['show', 'follow', 'delete'],
    ['clone', '4be1-aa'],
  ],
  [['faultline', '--json', '--data-dir', 'jobs', 'jobs', 'f'], ['files', 'follow'], ['fix']],
  [['faultline', 'jobs', 'follow', ''], ['4be1-aa'], ['inner', 'show', 'crash.txt']],
  [['faultline', 'projects', 'show', ''], ['shop'], ['owned', '$(touch', 'crash.txt']],
  [['faultline', 'search', 'x', '--project', ''], ['shop'], ['crash.txt']],
  [
    ['faultline', 'jobs', '--status', ''],
    ['succeeded', 'waiting'],
    ['clone', 'crash.txt'],
  ],
  [['faultline', 'resolve', '--mode', ''], ['answer', 'context'], ['crash.txt']],
  [['faultline', 'heal', '--notify', ''], ['waiting', 'done', 'waiting,done'], ['crash.txt']],
  [['faultline', 'completion', ''], ['bash', 'zsh', 'fish'], ['crash.txt']],
  [['faultline', 'resolve', 'cr'], ['crash.txt'], ['folder']],
  [['faultline', 'generate', '--output', ''], ['folder'], ['crash.txt']],
  [['faultline', 'jobs', 'retry', '--'], ['--from-step', '--detach', '--server', '--json'], ['--mode']],
  [['faultline', 'clone', '--limit', ''], [], ['jobs']],
  [['faultline', 'jobs', 'events', '--after', ''], [], ['crash.txt', 'show']],
]

for (const [shell, open] of Object.entries({ bash: inBash, zsh: inZsh, fish: inFish })) {
  test(`words are completed in ${shell}`, { skip: hasShell(shell) ? false : `there is no ${shell}` }, t => {
    const complete = open(t)
    for (const [words, offers, others = []] of OFFERS) {
      const found = complete(words)
      for (const word of offers) t.ok(found.includes(word), `${words.join(' ')} offers ${word}: ${found.join(' ')}`)
      for (const word of others) t.notOk(found.includes(word), `${words.join(' ')} does not offer ${word}`)
    }
    t.end()
  })
}

test('files with blanks are one word in bash, and a name from a server runs nothing', t => {
  t.ok(inBash(t)(['faultline', 'resolve', 'cr']).includes('crash one.log'))
  t.end()
})

test('no option takes a value in one command and none in another: the scripts know one table of them', t => {
  const kinds = new Map<string, boolean>()
  for (const { names, value } of allCommands(tree).flatMap(({ options }) => options)) {
    for (const name of names) {
      t.equal(kinds.get(name) ?? value !== null, value !== null, name)
      kinds.set(name, value !== null)
    }
  }
  t.end()
})

test('every command stands in every script', t => {
  for (const shell of SHELLS) {
    const script = completionScript(shell, tree)
    for (const { path } of allCommands(tree)) t.ok(script.includes(`'${path}'`) || path === '', `${shell}: ${path}`)
  }
  t.end()
})

test('the program prints them, and names the shells that it knows', async t => {
  const { cli } = cliFolder(t)
  for (const shell of SHELLS) {
    t.match(await cli.call(['completion', shell]), { exitCode: 0, stdout: new RegExp(`in ${shell}`) })
  }
  t.match(await cli.call(['completion', 'tcsh']), { exitCode: 2, stderr: /bash, zsh, fish/ })
})
