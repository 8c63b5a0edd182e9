import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A language as far as made-up code needs one. */
interface Dialect {
  extension: string
  useOf(module: string): string
  open(name: string, parameters: string): string
  statement(left: string, call: string, argument: string): string
  check(name: string, message: string): string
  close: string
}

const DIALECTS: readonly Dialect[] = [
  {
    extension: 'py',
    useOf: module => `from ${module.replaceAll('/', '.')} import *`,
    open: (name, parameters) => `def ${name}(${parameters}):`,
    statement: (left, call, argument) => `    ${left} = ${call}(${argument})`,
    check: (name, message) => `    if ${name} is None:\n        raise ValueError("${message}")`,
    close: '',
  },
  {
    extension: 'ts',
    useOf: module => `import * as m from '/${module}'`,
    open: (name, parameters) => `export function ${name} (${parameters}) {`,
    statement: (left, call, argument) => `  const ${left} = ${call}(${argument})`,
    check: (name, message) => `  if (${name} === undefined) throw new Error('${message}')`,
    close: '}',
  },
  {
    extension: 'go',
    useOf: module => `import "${module}"`,
    open: (name, parameters) => `func ${name}(${parameters} any) error {`,
    statement: (left, call, argument) => `\t${left} := ${call}(${argument})`,
    check: (name, message) => `\tif ${name} == nil {\n\t\treturn errors.New("${message}")\n\t}`,
    close: '}',
  },
  {
    extension: 'java',
    useOf: module => `import ${module.replaceAll('/', '.')};`,
    open: (name, parameters) => `  static Object ${name}(Object ${parameters.replaceAll(', ', ', Object ')}) {`,
    statement: (left, call, argument) => `    var ${left} = ${call}(${argument});`,
    check: (name, message) => `    if (${name} == null) {\n      throw new IllegalStateException("${message}");\n    }`,
    close: '  }',
  },
  {
    extension: 'rb',
    useOf: module => `require '${module}'`,
    open: (name, parameters) => `def ${name}(${parameters})`,
    statement: (left, call, argument) => `  ${left} = ${call}(${argument})`,
    check: (name, message) => `  raise ArgumentError, '${message}' if ${name}.nil?`,
    close: 'end',
  },
]

const SYLLABLES = [
  'ab',
  'ac',
  'ber',
  'cor',
  'dan',
  'del',
  'er',
  'fil',
  'gan',
  'hal',
  'in',
  'jor',
  'kel',
  'lim',
  'mar',
  'nor',
  'ol',
  'par',
  'quin',
  'ras',
  'sel',
  'tor',
  'un',
  'ver',
  'wil',
  'xen',
  'yar',
  'zor',
]
const WORDS = SYLLABLES.flatMap(first =>
  SYLLABLES.flatMap(second => [first + second, `${first + second}s`, `${first}al${second}`]),
)
const FILES_A_FOLDER = 25
const DEEP_LEVELS = 12
const HUGE_EVERY = 5_000
const HUGE_BYTES = 700_000

/** Numbers that look random and are the same each time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export function pathOf(index: number): string {
  const folder = Math.floor(index / FILES_A_FOLDER)
  const deep =
    folder % 50 === 0
      ? Array.from({ length: DEEP_LEVELS }, (_, level) => `${WORDS[(folder + level) % WORDS.length]}/`).join('')
      : ''
  const name = `${WORDS[index % WORDS.length]}_${index}.${DIALECTS[index % DIALECTS.length]?.extension}`
  return `src/${WORDS[folder % 97]}/${deep}${WORDS[folder % WORDS.length]}${folder}/${name}`
}

/**
 * Code of 2 to 5 kB, now and then of 700 kB: functions of some ten lines, over words that files share and names that
 * they do not.
 */
export function textOf(index: number, revision = 0): string {
  const random = createRandom(index * 7919 + revision + 1)
  const choose = () => Math.min(random(WORDS.length), random(WORDS.length))
  const word = () => WORDS[choose()] ?? ''
  const name = () => {
    // one of some 50,000, as a large project has
    const first = choose()
    return `${WORDS[first]}_${WORDS[(first * 31 + random(20)) % WORDS.length]}`
  }
  const dialect = DIALECTS[index % DIALECTS.length]
  if (dialect === undefined) return ''
  const lines = Array.from({ length: 2 + random(4) }, () => dialect.useOf(`${word()}/${word()}`))
  const bytes = index % HUGE_EVERY === HUGE_EVERY - 1 ? HUGE_BYTES : 2_000 + random(3_000)
  for (let size = 0; size < bytes;) {
    const parameter = word()
    const body = Array.from({ length: 4 + random(14) }, () =>
      random(6) === 0
        ? dialect.check(parameter, `${word()} ${word()} of ${word()} is missing`)
        : dialect.statement(name(), name(), `${word()}, ${parameter}`),
    )
    const block = ['', dialect.open(`${name()}_${random(1_000)}`, `${parameter}, ${word()}`), ...body, dialect.close]
    lines.push(...block)
    size += block.reduce((sum, { length }) => sum + length + 1, 0)
  }
  return `${lines.join('\n')}\n`
}

async function importCommit(dir: string, message: string, indices: readonly number[], revision: number): Promise<void> {
  const git = spawn('git', ['--git-dir', dir, 'fast-import', '--quiet', '--depth=1'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const ended = once(git, 'exit')
  const write = async (text: string) => {
    if (!git.stdin.write(text)) await once(git.stdin, 'drain')
  }
  const parent = revision === 0 ? '' : 'from refs/heads/main^0\n'
  await write(
    `commit refs/heads/main\ncommitter Ada Tester <ada@example.com> ${1_700_000_000 + revision * 3_600} +0000\n` +
      `data ${message.length}\n${message}\n${parent}`,
  )
  for (const index of indices) {
    const text = textOf(index, revision)
    await write(`M 100644 inline ${pathOf(index)}\ndata ${Buffer.byteLength(text)}\n${text}\n`)
  }
  git.stdin.end('\n')
  const [code] = await ended
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`)
}

/** Makes a bare repository of that many files with one commit on `main`, by one `git fast-import`. */
export async function generateRepository(dir: string, files: number): Promise<void> {
  execFileSync('git', ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', dir])
  await importCommit(
    dir,
    'First commit',
    Array.from({ length: files }, (_, index) => index),
    0,
  )
}

/** Changes these files of it by one more commit. */
export async function changeFiles(dir: string, indices: readonly number[], revision: number): Promise<void> {
  await importCommit(dir, `Change ${indices.length} files`, indices, revision)
}
