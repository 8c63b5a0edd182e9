import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** One TypeScript file of a checkout. */
export interface Source {
  /** Relative to the checkout, with `/`. */
  path: string
  text: string
  tree: ts.SourceFile
}

/** The files of a checkout that its authors write by hand. */
export interface Checkout {
  folder: string
  sources: Source[]
  /** Relative path and text of each Markdown file. */
  markdown: { path: string; text: string }[]
}

/** Files that are data: recorded traces, sample projects, and the texts sent to a model. */
const DATA = /^(?:samples|prompts|test\/fixtures|scripts\/record-fixtures\/programs)\//

/** Parses a file as the figures need it: with parents, without types. */
export function parseSource(path: string, text: string): Source {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
}

/** Reads the files that git tracks in a folder or would add. */
export function readCheckout(folder: string): Checkout {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )
  const deleted = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: folder, encoding: 'utf8' }).split('\0')
  const paths = listed.split('\0').filter(path => path !== '' && !DATA.test(path) && !deleted.includes(path))
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  return {
    folder,
    sources: paths.filter(path => path.endsWith('.ts')).map(path => parseSource(path, read(path))),
    markdown: paths.filter(path => path.endsWith('.md')).map(path => ({ path, text: read(path) })),
  }
}
