// Renews the fixtures of Python, pytest and IPython: node scripts/record-fixtures/python.ts
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { has, install, output, record } from './recorder.ts'

const cwd = install('python')
const VERSIONS = join(homedir(), '.pyenv/versions')
const env = { COLUMNS: '80', PYTHONDONTWRITEBYTECODE: '1', PYTHONHASHSEED: '0', HOME: '/srv/app', PY_COLORS: '0' }

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Each minor version that the version manager has, and the system's. */
function interpreters(): Map<string, string> {
  const found = new Map<string, string>()
  const candidates = [...listed(VERSIONS).map(version => join(VERSIONS, version, 'bin/python')), '/usr/bin/python3']
  for (const python of candidates) {
    if (!has(python, '--version')) continue
    const version = /Python (\d+\.\d+)/.exec(output([python, '--version'], { cwd }))?.[1]
    if (version !== undefined && !found.has(version)) found.set(version, python)
  }
  return found
}

/** The library shows in traces under a neutral name, wherever the version manager keeps it. */
function environment(version: string, python: string): Record<string, string> {
  const home = `/srv/lib/python-${version}`
  mkdirSync(dirname(home), { recursive: true })
  rmSync(home, { force: true })
  symlinkSync(dirname(dirname(python)), home)
  return { ...env, PYTHONHOME: home }
}

const since = (version: string, minor: number): boolean => version.startsWith('3.') && Number(version.slice(2)) >= minor

for (const [version, python] of interpreters()) {
  const where = { cwd, env: environment(version, python) }
  const run = (name: string, ...args: string[]) => record(`python-${version}-${name}`, [python, ...args], where)
  if (!['2.7', '3.6', '3.8', '3.11', '3.12', '3.13'].includes(version)) continue
  run('warned', 'warned.py')
  run('logged', 'logged.py')
  run('unittest', 'test_cart_unit.py')
  run('doctest', 'doctested.py')
  if (since(version, 5)) run('cycle', 'cycle.py')
  if (since(version, 8)) run('faulthandler', 'faulty.py')
  if (since(version, 11)) run('boxed', 'boxed.py')
  if (since(version, 11)) run('taskgroup', 'grouped.py')
  if (since(version, 13)) run('elided', 'elided.py')
}

function module(python: string, name: string): string | null {
  return /(\d+)\.\d+/.exec(output([python, '-c', `import ${name}; print(${name}.__version__)`], { cwd }))?.[1] ?? null
}

for (const [version, python] of interpreters()) {
  const where = { cwd, env: environment(version, python) }
  const pytest = module(python, 'pytest')
  if (pytest !== null) {
    for (const style of ['long', 'short', 'native', 'line', 'no', 'auto']) {
      record(
        `pytest-${pytest}-${style}`,
        [
          python,
          '-m',
          'pytest',
          '-p',
          'no:cacheprovider',
          '-p',
          'no:randomly',
          '--color=no',
          `--tb=${style}`,
          '-q',
          'test_shop.py',
          'test_broken.py',
          '--continue-on-collection-errors',
        ],
        where,
      )
    }
    record(
      `pytest-${pytest}-locals`,
      [python, '-m', 'pytest', '-p', 'no:cacheprovider', '--color=no', '-l', 'test_shop.py::test_price'],
      where,
    )
  }
  const ipython = module(python, 'IPython')
  if (ipython !== null) {
    for (const mode of ['Context', 'Verbose', 'Plain', 'Minimal']) {
      record(`ipython-${ipython}-${mode.toLowerCase()}`, [python, 'notebook.py', mode], {
        cwd,
        env: { ...where.env, IPYTHONDIR: '/tmp/ipython' },
      })
    }
  }
}
