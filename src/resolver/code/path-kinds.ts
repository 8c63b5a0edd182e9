import { folderOf } from '../../core/path-names.ts'
import { isTestFile } from '../../core/test-files.ts'
import { isVendored } from './source-roots.ts'

/** What a file is by its path, as far as names tell. */
export interface PathKind {
  isTest: boolean
  isVendored: boolean
  /** Documentation, examples, benchmarks, translations, change logs. */
  isAside: boolean
  /** Settings and data. */
  isConfig: boolean
  /** Written by a tool, or declarations without code. */
  isDerived: boolean
}

const ASIDE_FOLDER =
  /(?:^|\/)(?:docs?|documentation|change-?logs?|releasenotes|news|examples?|samples?|demos?|bench(?:marks?)?|\.github)\//i
const ASIDE_NAME = /\.(?:md|mdx|rst|txt|adoc|po|pot)$|(?:^|\/)(?:change-?log|changes|history|news|releases?)\b[^/]*$/i
const CONFIG_NAME = /\.(?:json5?|jsonc|ya?ml|toml|cfg|ini|xml|lock|html?|s?css|properties|conf|plist|svg)$/i

const DERIVED_NAME =
  /(?:\.pb\.(?:gw\.)?\w+|_pb2(?:_grpc)?\.pyi?|[._]generated\.\w+|\.g\.\w+|\.designer\.\w+|\.d\.[cm]?ts|\.pyi|\.h(?:h|pp|xx)?|\.mli|\.js\.flow)$|(?:^|\/)(?:zz_)?generated(?:[_.][^/]*)?(?:\/|$)/i

const known = new Map<string, PathKind>()
const MAX_KNOWN = 20_000

/** Classifies a file by its path. */
export function kindOfPath(path: string): PathKind {
  const found = known.get(path)
  if (found !== undefined) return found
  const kind = {
    isTest: isTestFile(path),
    isVendored: isVendored(folderOf(path)),
    isAside: ASIDE_FOLDER.test(path) || ASIDE_NAME.test(path),
    isConfig: CONFIG_NAME.test(path),
    isDerived: DERIVED_NAME.test(path),
  }
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(path, kind)
  return kind
}
