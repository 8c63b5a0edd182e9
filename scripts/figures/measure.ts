import ts from 'typescript'
import type { Checkout, Source } from './checkout.ts'
import { undocumentedExports } from './documentation.ts'
import { hopsByRoute } from './hops.ts'
import { importCycles, importGraph } from './modules.ts'
import { measureSyntax } from './syntax.ts'

/** Figures of a checkout by their names, in the order in which they are shown; null where one cannot be had. */
export type Figures = Map<string, number | string | null>

const MAX_COLUMNS = 120

const LABELS = new Map([['src', 'files directly in src/']])

const isIn =
  (folder: string) =>
  ({ path }: { path: string }) =>
    path.startsWith(`${folder}/`)
const isSrc = isIn('src')
const isTest = ({ path }: { path: string }) => /^(?:test|bench|scripts)\//.test(path)

function isTypesOnly({ tree }: Source): boolean {
  return tree.statements.every(
    statement =>
      ts.isImportDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isExportDeclaration(statement),
  )
}

/** The share of source files with a test of the same name and place. Files that only have types need none. */
function sameNamedTests(sources: readonly Source[]): number {
  const paths = new Set(sources.map(({ path }) => path))
  const tested = sources.filter(source => isSrc(source) && !isTypesOnly(source))
  const testOf = (path: string) => path.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts')
  return tested.filter(({ path }) => paths.has(testOf(path))).length / tested.length
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function longLines(files: readonly { text: string }[]): number {
  return sum(files.map(({ text }) => text.split('\n').filter(line => line.length > MAX_COLUMNS).length))
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

/** The folder directly in `src/` that holds a file, `src` for those that stand in it. */
function roomOf(path: string): string {
  return path.split('/').length > 2 ? path.split('/').slice(0, 2).join('/') : 'src'
}

function byRoom([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function sizesOf(groups: ReadonlyMap<string, readonly unknown[]>): number[] {
  return [...groups.values()].map(group => group.length)
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0
}

function percentage(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** Measures all figures except lines of code. */
export function measureHouse({ sources, markdown }: Checkout): Figures {
  const src = sources.filter(isSrc)
  const syntax = src.map(source => ({ ...measureSyntax(source), path: source.path }))
  const functions = syntax.flatMap(file => file.functions)
  const branches = functions.map(one => one.branches)
  const tokens = functions.map(one => one.tokens)
  const filesPerFolder = sizesOf(Map.groupBy(src, ({ path }) => folderOf(path)))
  const graph = importGraph(src)
  return new Map<string, number | string | null>([
    ['files directly in src/', src.filter(({ path }) => folderOf(path) === 'src').length],
    ['files in src/, all', src.length],
    [
      'rooms (folders directly in src/)',
      new Set(src.map(({ path }) => roomOf(path)).filter(room => room !== 'src')).size,
    ],
    ['folders with files in src/, all', filesPerFolder.length],
    ['files per folder, median', quantile(filesPerFolder, 0.5)],
    ['files per folder, most', Math.max(...filesPerFolder)],
    [`lines over ${MAX_COLUMNS} columns: src`, longLines(src)],
    [`lines over ${MAX_COLUMNS} columns: test, bench, scripts`, longLines(sources.filter(isTest))],
    [`lines over ${MAX_COLUMNS} columns: Markdown`, longLines(markdown)],
    ['nested ternaries: src', sum(syntax.map(file => file.nestedTernaries))],
    [
      'nested ternaries: test, bench, scripts',
      sum(sources.filter(isTest).map(source => measureSyntax(source).nestedTernaries)),
    ],
    ['branches per function, p90', quantile(branches, 0.9)],
    ['branches per function, most', Math.max(...branches)],
    ['functions with more than 15 branches', branches.filter(count => count > 15).length],
    ['tokens per function, p90', quantile(tokens, 0.9)],
    ['tokens per function, most', Math.max(...tokens)],
    ...[...hopsByRoute(graph)].map(([route, hops]) => [`hops from route to work: ${route}`, hops] as const),
    ['exported names without a doc comment', sum(src.map(source => undocumentedExports(source).length))],
    ['same-named tests', percentage(sameNamedTests(sources))],
    ['groups of files that import each other in a circle', importCycles(graph).length],
  ])
}

/** Counts lines of code by room. @param placeOf - Where a file counts, when that is not where it stands. */
export function measureLines(sources: readonly Source[], placeOf = (path: string) => path): Figures {
  const linesOf = (some: readonly Source[]) => sum(some.map(source => measureSyntax(source).codeLines))
  const src = sources.filter(isSrc)
  const rooms = Map.groupBy(src, ({ path }) => roomOf(placeOf(path)))
  return new Map([
    ['lines of code: src, all', linesOf(src)],
    ['lines of code: test, bench, scripts', linesOf(sources.filter(isTest))],
    ...[...rooms]
      .sort(byRoom)
      .map(([room, some]) => [`lines of code: ${LABELS.get(room) ?? room}`, linesOf(some)] as const),
  ])
}
