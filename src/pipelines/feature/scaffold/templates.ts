import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Mustache from 'mustache'
import { FaultlineError } from '../../../core/errors.ts'
import type { BaseFiles } from '../../steps/base/base-files.ts'

/** What skeletons are made of. */
export type TemplateKind = 'schema' | 'tool' | 'test'

/** One template. */
interface Template {
  /** Its path in the project; for ours, its name. */
  name: string
  /** Whether it is one of the project's own. */
  isOwn: boolean
  text: string
  /** Of the files that are made, without the full stop. */
  extension: string
}

// The same from src/pipelines/feature/scaffold and from dist/pipelines/feature/scaffold.
const PACKAGE_DIR = join(import.meta.dirname, '..', '..', '..', '..', 'templates')
const OURS = /^(?:schema|tool|test)\.([a-z0-9]{1,10})\.tpl$/
const MAX_CHARS = 100_000

const wrong = (name: string, problem: string): FaultlineError =>
  new FaultlineError(
    'VALIDATION_FAILED',
    `The template ${name} ${problem}.`,
    'Mend it on the default branch; docs/features.md lists what a template can hold.',
  )

/**
 * The template of a kind: the project's, where its folder has one, else ours.
 *
 * @throws {FaultlineError} VALIDATION_FAILED: there are two of the kind, or one is no text.
 */
export async function findTemplate(
  base: Pick<BaseFiles, 'paths' | 'read'>,
  folder: string | null,
  kind: TemplateKind,
): Promise<Template> {
  const names = folder === null ? [] : (await base.paths()).filter(path => path.startsWith(`${folder}/${kind}.`))
  const own = names.flatMap(path => {
    const extension = OURS.exec(path.slice((folder ?? '').length + 1))?.[1]
    return extension === undefined ? [] : [{ path, extension }]
  })
  const [first, second] = own
  if (second !== undefined) throw wrong(second.path, `is one of several of the kind ${kind}`)
  if (first === undefined) {
    const name = `${kind}.ts.tpl`
    return { name, isOwn: false, text: readFileSync(join(PACKAGE_DIR, name), 'utf8'), extension: 'ts' }
  }
  const text = await base.read(first.path)
  if (text === null || text.length > MAX_CHARS) throw wrong(first.path, `is no text of up to ${MAX_CHARS} characters`)
  return { name: first.path, isOwn: true, text, extension: first.extension }
}

type View = Readonly<Record<string, unknown>>

/** Names that a template uses, within its sections, too. */
function* namesIn(tokens: ReadonlyArray<readonly unknown[]>): Generator<string> {
  for (const [kind, name, , , inner] of tokens) {
    if (kind === '>') throw new Error(`names another template, ${JSON.stringify(name)}, and there are none`)
    if (['name', '&', '{', '#', '^'].includes(String(kind))) yield String(name)
    if (Array.isArray(inner)) yield* namesIn(inner as unknown[][])
  }
}

/**
 * A file made from a template.
 *
 * @param known - Names that a template may use although they have no value here: those of a list's items.
 * @throws {FaultlineError} VALIDATION_FAILED: it uses a name that nothing fills, or is no Mustache.
 */
export function renderTemplate({ name, text }: Template, view: View, known: ReadonlySet<string>): string {
  try {
    for (const used of namesIn(Mustache.parse(text))) {
      if (!Object.hasOwn(view, used) && !known.has(used)) throw new Error(`uses {{${used}}}, which nothing fills`)
    }
    return Mustache.render(text, view, {}, { escape: String })
  } catch (error) {
    const [line = ''] = String(error).split('\n', 1)
    throw wrong(name, line.replace(/^Error: /, '').slice(0, 200))
  }
}
