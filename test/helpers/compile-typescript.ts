import { join } from 'node:path'
import ts from 'typescript'

const ROOT = '/project'
/** As much of Drizzle as the default templates use. */
const DRIZZLE = `
export interface Column<T, NotNull extends boolean = false> {
  notNull(): Column<T, true>
  primaryKey(config?: { autoIncrement?: boolean }): Column<T, true>
  $defaultFn(make: () => T): this
  readonly value: NotNull extends true ? T : T | null
}
export function text<Mode extends 'text' | 'json' = 'text'>(
  name: string,
  config?: { mode?: Mode; length?: number },
): Column<Mode extends 'json' ? unknown : string>
export function integer<Mode extends 'number' | 'boolean' | 'timestamp' = 'number'>(
  name: string,
  config?: { mode?: Mode },
): Column<{ number: number; boolean: boolean; timestamp: Date }[Mode]>
export function real(name: string): Column<number>
export function blob(name: string, config: { mode: 'buffer' }): Column<Buffer>
type Row<Columns> = { [Name in keyof Columns]: Columns[Name] extends { value: infer Value } ? Value : never }
export function sqliteTable<Columns>(
  name: string,
  columns: Columns,
): { name: string; columns: Columns; $inferSelect: Row<Columns>; $inferInsert: Partial<Row<Columns>> }
export interface BaseSQLiteDatabase<Kind extends 'sync' | 'async', Result> {
  kind: Kind
  run(): Result
}
`
const MODULES = new Map([['drizzle-orm/sqlite-core', join(ROOT, 'drizzle.d.ts')]])
const parsedLibraries = new Map<string, ts.SourceFile | undefined>()

/** What a strict compiler says of files of TypeScript that know nothing but Node and Drizzle for SQLite. */
export function compileErrors(files: ReadonlyMap<string, string>): string[] {
  const texts = new Map([...files].map(([path, text]) => [join(ROOT, path), text]))
  texts.set(join(ROOT, 'drizzle.d.ts'), DRIZZLE)
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    allowImportingTsExtensions: true,
    noUnusedLocals: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(import.meta.dirname, '../../node_modules/@types')],
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = path => texts.has(path) || fileExists(path)
  host.readFile = path => texts.get(path) ?? readFile(path)
  host.getSourceFile = (path, version) => {
    const own = texts.get(path)
    if (own !== undefined) return ts.createSourceFile(path, own, version)
    if (!parsedLibraries.has(path)) parsedLibraries.set(path, getSourceFile(path, version))
    return parsedLibraries.get(path)
  }
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      const beside = join(from, '..', text)
      const at = texts.has(beside) ? beside : MODULES.get(text)
      return at === undefined
        ? ts.resolveModuleName(text, from, options, host)
        : { resolvedModule: { resolvedFileName: at, extension: ts.Extension.Ts } }
    })
  const program = ts.createProgram([...texts.keys()], options, host)
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const words = ts.flattenDiagnosticMessageText(messageText, ' ')
    if (file === undefined) return words
    const { line } = file.getLineAndCharacterOfPosition(start ?? 0)
    return `${file.fileName.slice(ROOT.length + 1)}:${line + 1} ${words}`
  })
}
