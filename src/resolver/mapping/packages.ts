import { folderOf } from '../../core/path-names.ts'
import type { SourceOf } from '../code/file-texts.ts'
import type { FileIndex } from '../code/file-index.ts'

/** A package that the project itself holds, and its folder (`''` or ending in `/`). */
export interface OwnPackage {
  name: string
  repository: string
  folder: string
}

type Manifest =
  'package.json' | 'composer.json' | 'Cargo.toml' | 'go.mod' | 'pubspec.yaml' | 'mix.exs' | '.gemspec' | PythonManifest
type PythonManifest = 'pyproject.toml' | 'setup.cfg' | 'setup.py'

const PYTHON_MANIFESTS = ['pyproject.toml', 'setup.cfg', 'setup.py'] as const
const MAX_MANIFESTS = 2000
const MAX_MANIFEST_CHARS = 200_000

/** The project's own packages by the manifests in the index; each kind of manifest is read when it is first needed. */
export interface Packages {
  /** The folders of a package, the shallow ones first. */
  npm: (name: string) => readonly OwnPackage[]
  composer: (name: string) => readonly OwnPackage[]
  cargo: (name: string) => readonly OwnPackage[]
  gem: (name: string) => readonly OwnPackage[]
  /** By the folder that importers name: case and the signs between words do not count. */
  python: (name: string) => readonly OwnPackage[]
  pub: (name: string) => readonly OwnPackage[]
  hex: (name: string) => readonly OwnPackage[]
  /**
   * The module that a package path of Go lies in (its longest prefix), whatever major version either names; null when
   * it is not one of the project's.
   */
  goModule: (importPath: string) => OwnPackage | null
}

const cache = new WeakMap<FileIndex, Packages>()

/**
 * `example.com/shop/v2/cart` → `example.com/shop/cart`: the major version is part of the import path, but rarely a
 * folder.
 */
export const withoutMajor = (importPath: string): string =>
  importPath.replace(/\/v\d{1,4}(?=\/|$)/g, '').replace(/\.v\d{1,4}(?=\/|$)/g, '')

function nameInJson(text: string): string | null {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && 'name' in parsed && typeof parsed.name === 'string'
      ? parsed.name
      : null
  } catch {
    return null // a manifest that is no JSON names no package
  }
}

/** The name that a TOML or INI file gives in one of these sections. */
function nameInSections(text: string, sections: readonly string[]): string | null {
  let isInside = false
  for (const line of text.split('\n')) {
    const head = /^\s*\[([\w.-]{1,100})\]/.exec(line)?.[1]
    if (head !== undefined) isInside = sections.includes(head)
    const name = isInside ? /^\s*name\s*=\s*["']?([^"'\s]{1,200})/.exec(line)?.[1] : undefined
    if (name !== undefined) return name
  }
  return null
}

/** Python installs `Shop-Kit` where `shop_kit` is imported from. */
const pythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

const NAMES: Record<Manifest, (text: string) => string | null> = {
  'package.json': nameInJson,
  'composer.json': nameInJson,
  'Cargo.toml': text => nameInSections(text, ['package']),
  'pubspec.yaml': text => /^name:[ \t]*["']?(\w{1,100})/m.exec(text)?.[1] ?? null,
  'mix.exs': text => /\bapp:\s{0,20}:(\w{1,100})/.exec(text)?.[1] ?? null,
  '.gemspec': text => /\.name\s{0,20}=\s{0,20}["']([\w.-]{1,100})["']/.exec(text)?.[1] ?? null,
  'pyproject.toml': text => nameInSections(text, ['project', 'tool.poetry']),
  'setup.cfg': text => nameInSections(text, ['metadata']),
  'setup.py': text => /\bname\s{0,20}=\s{0,20}["']([\w.-]{1,100})["']/.exec(text)?.[1] ?? null,
  'go.mod'(text) {
    const module = /^module[ \t]+"?([^\s"]{1,400})/m.exec(text)?.[1]
    return module === undefined ? null : withoutMajor(module)
  },
}

function readManifests(manifest: Manifest, index: FileIndex, sourceOf: SourceOf): OwnPackage[] {
  return index
    .named(manifest)
    .slice(0, MAX_MANIFESTS)
    .flatMap(({ file, segments }) => {
      if (segments.at(-1) !== manifest) return []
      const text = sourceOf(file.repository, file.path)
      const name = text === null || text.length > MAX_MANIFEST_CHARS ? null : NAMES[manifest](text)
      return name === null ? [] : [{ name, repository: file.repository, folder: folderOf(file.path) }]
    })
}

/** Looks up the packages of a project by the manifests among its files. */
export function packagesOf(index: FileIndex, sourceOf: SourceOf): Packages {
  const known = cache.get(index)
  if (known !== undefined) return known
  const named = (manifest: Manifest): ((name: string) => readonly OwnPackage[]) => {
    let byName: Map<string, OwnPackage[]> | null = null
    return name => {
      byName ??= Map.groupBy(readManifests(manifest, index, sourceOf), found => found.name)
      return byName.get(name) ?? []
    }
  }
  let pythonPackages: Map<string, OwnPackage[]> | null = null
  const goModules = named('go.mod')
  const unnamedGemspecs = named('.gemspec')
  const packages: Packages = {
    npm: named('package.json'),
    composer: named('composer.json'),
    cargo: named('Cargo.toml'),
    pub: named('pubspec.yaml'),
    hex: named('mix.exs'),
    gem: name => [
      ...index
        .named(`${name}.gemspec`)
        .map(({ file }) => ({ name, repository: file.repository, folder: folderOf(file.path) })),
      ...unnamedGemspecs(name),
    ],
    python(name) {
      pythonPackages ??= Map.groupBy(
        PYTHON_MANIFESTS.flatMap(manifest => readManifests(manifest, index, sourceOf)),
        found => pythonName(found.name),
      )
      return pythonPackages.get(pythonName(name)) ?? []
    },
    goModule(importPath) {
      const segments = withoutMajor(importPath).split('/')
      for (let length = segments.length; length > 0; length--) {
        const [found] = goModules(segments.slice(0, length).join('/'))
        if (found !== undefined) return found
      }
      return null
    },
  }
  cache.set(index, packages)
  return packages
}
