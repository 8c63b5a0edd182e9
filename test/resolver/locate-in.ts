import { FaultlineError } from '../../src/core/errors.ts'
import type { CodeReader } from '../../src/resolver/code/code-reader.ts'
import { locate, type LocateDeps, type LocateRequest } from '../../src/resolver/locate.ts'
import { countTokens, TOKENIZER } from '../../src/tokens/o200k.ts'
import { chunkLines } from '../fakes/memory-code-reader.ts'

export const PLAIN = `import json
from store import load_order

def total(order):
    prices = [line["price"] * line["count"] for line in order["lines"]]
    return sum(prices) / order["customers"]

def main():
    order = load_order('{"lines": [{"price": 2, "count": 3}], "customers": 0}')
    print(total(order))

main()
`

export const STORE =
  'import json\n\n\n\n\n\ndef load_order(text):\n    return json.loads(text)\n\ndef read(key):\n' +
  '    shelf = {}\n    return shelf[key]\n'

export function find(
  reader: CodeReader,
  request: Partial<LocateRequest> & { stackTrace: string },
  deps: Partial<LocateDeps> = {},
) {
  return locate(
    { projectName: 'shop', maxContextTokens: 16_000, ...request },
    {
      reader,
      embedQuery: async () => new Float32Array(2),
      commits: {
        resolveCommit: async () => null,
        listFiles: async () => [],
        readAtCommit: async () => null,
        listOutputs: async () => [],
        listTags: async () => [],
        outlineText: () => null,
        chunkText: (text, file) => chunkLines(text, file),
      },
      readChanges: async () => null,
      countTokens,
      tokenizer: TOKENIZER,
      now: () => 0,
      ...deps,
    },
  )
}

export const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing thrown',
    (error: unknown) => (error instanceof FaultlineError ? error.code : String(error)),
  )

export const OLD = 'a'.repeat(40)

/** The commit of tag v1, which holds these files. */
export function commitsWith(old: Record<string, string>, asked: string[] = []): LocateDeps['commits'] {
  return {
    resolveCommit: async (_repository, ref) => (ref === 'v1' ? OLD : null),
    listFiles: async () => Object.keys(old).map(path => ({ path, oid: `old ${path}` })),
    readAtCommit: async (_repository, commit, path) => {
      asked.push(`${commit.slice(0, 1)} ${path}`)
      return old[path] ?? null
    },
    listOutputs: async () => [],
    listTags: async () => [],
    outlineText: () => null,
    chunkText: (text, file) => chunkLines(text, file),
  }
}
