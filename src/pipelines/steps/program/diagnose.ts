import { lowerBaseName } from '../../../core/path-names.ts'
import type { FailedRun, ProgramFiles, RunDiagnosis } from '../../../resolver/diagnose-run.ts'
import type { CurrentFiles } from '../base/base-files.ts'

/** What is known of a failed run. */
export type Diagnosed = {
  /** Equal for equal faults. */
  signature: string
  /** The code behind the error; empty where the output names none. */
  context: string
  /** Files to show the model. */
  shown: string[]
}

/** Finds the code behind a failed run. */
export type Diagnose = (run: FailedRun & { entrypoint: string }, files: CurrentFiles) => Promise<Diagnosed>

/** What diagnosing a run needs. */
export interface DiagnoseDeps {
  /** Diagnoses a failed run in a thread. */
  diagnoseRun: (run: FailedRun, program: ProgramFiles) => Promise<RunDiagnosis>
}

/** A program up to this size is shown whole, as gpt-engineer does; of a larger one what its error names. */
const WHOLE_CHARS = 240_000
/** Files read that do not fit any more, before the rest is left. */
const MAX_MISSES = 20
/** Most parts of a name with dots, such as `shop.cart.total`, that are looked up. */
const MAX_PARTS = 8
const MANIFEST =
  /^(?:requirements[^/]*\.txt|pyproject\.toml|package\.json|go\.mod|Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|Makefile)$/

/** What file names are made of, in lower case, with and without extension. */
function wordsOf(output: string): ReadonlySet<string> {
  const words = new Set<string>()
  for (const [word] of output.toLowerCase().matchAll(/[\p{L}\p{N}_@$+.-]+/gu)) {
    words.add(word)
    const parts = word.split('.')
    for (let from = 0; from < Math.min(parts.length, MAX_PARTS); from++) words.add(parts[from] ?? '')
    words.add(parts.slice(0, 2).join('.'))
    words.add(parts.filter(part => part !== '').join('.'))
  }
  return words
}

function isPrinted(path: string, printed: ReadonlySet<string>): boolean {
  const name = lowerBaseName(path)
  return printed.has(name) || printed.has(name.replace(/\.[^.]*$/, ''))
}

async function chooseShown(
  current: CurrentFiles,
  { paths, first }: { paths: readonly string[]; first: readonly string[] },
): Promise<string[]> {
  const known = new Set(paths)
  const wanted = [...new Set([...first, ...paths.filter(path => MANIFEST.test(path)), ...paths])].filter(path =>
    known.has(path),
  )
  const shown: string[] = []
  let chars = 0
  let misses = 0
  for (const path of wanted) {
    const text = await current.read(path)
    if (text === null) continue
    if (chars + text.length > WHOLE_CHARS && shown.length > 0) {
      if (++misses === MAX_MISSES) break
      continue
    }
    chars += text.length
    shown.push(path)
    if (chars > WHOLE_CHARS) break
  }
  return shown.sort()
}

/** The files of a program, with the texts of those that an output may name. */
export async function printedFiles(
  { stdout, stderr }: Pick<FailedRun, 'stdout' | 'stderr'>,
  current: CurrentFiles,
): Promise<ProgramFiles> {
  const paths = await current.paths()
  const printed = wordsOf(`${stdout}\n${stderr}`)
  return { paths, files: await current.readAll(paths.filter(path => isPrinted(path, printed))) }
}

/** Diagnoses runs, and chooses the files that a model is shown of the program. */
export function createDiagnose({ diagnoseRun }: DiagnoseDeps): Diagnose {
  return async ({ entrypoint, ...run }, current) => {
    const program = await printedFiles(run, current)
    const { signature, context, paths: inContext } = await diagnoseRun(run, program)
    const { paths } = program
    return { signature, context, shown: await chooseShown(current, { paths, first: [...inContext, entrypoint] }) }
  }
}
