import { test } from 'tap'
import type { MappedFrame, ParsedException } from '../../../src/core/frame.ts'
import { focusOf, rankFrames } from '../../../src/resolver/ranking/rank-frames.ts'

const NOWHERE = {
  raw: '',
  line: 1,
  column: null,
  function: null,
  sourceText: null,
  repeat: 1,
  inProject: true,
  repository: 'shop',
  codeLine: 1,
  match: 'exact',
  why: '',
  candidates: [],
} as const

/** Frames as `exception:path`, the outermost first; each exception a chain of its own unless told otherwise. */
function ranked(places: string[], { chains = [0], roots = [0] } = {}) {
  const exceptions = chains.map((chain, index): ParsedException => ({
    index,
    type: 'Error',
    message: '',
    relation: roots.includes(index) ? 'root' : 'cause',
    chain,
    language: null,
    count: 1,
  }))
  const frames = places.map((place, index): MappedFrame => {
    const [exception = '', path = ''] = place.split(':')
    return { ...NOWHERE, candidates: [], file: path, path, index, exception: Number(exception) }
  })
  return rankFrames(frames, exceptions, focusOf(exceptions, undefined)).map(
    ({ frame, rank, why }) => `${rank} ${frame.path} ${why}`,
  )
}

test(
  'a library that the repository keeps a copy of is never the failing frame of a trace through the ' +
    "project's own code",
  async t => {
    for (const library of [
      'vendor/google.golang.org/grpc/server.go',
      'tools/vendor/example.com/rpc/server.go',
      'src/pip/_vendor/rich/text.py',
      'third_party/zlib/inflate.c',
      'deps/uv/src/loop.c',
      'lib/node_modules/left/pad.js',
    ]) {
      t.same(
        ranked(['0:cmd/main.go', '0:daemon/start.go', `0:${library}`]),
        [
          '0 daemon/start.go failing frame',
          '1 cmd/main.go frame 0, a caller of the failing one',
          `2 ${library} frame 2, in a library that the repository keeps`,
        ],
        library,
      )
      t.same(ranked([`0:${library}`]), [`0 ${library} failing frame`], 'where nothing else is in the project')
    }
  },
)

test('a folder that the project may deal with is its own', async t => {
  for (const own of [
    'app/models/vendor/order.rb',
    'src/main/java/com/acme/vendor/Vendor.java',
    'app/api/deps/auth.py',
    'vendor/views.py',
    'src/external/client.ts',
  ]) {
    t.same(ranked(['0:main.go', `0:${own}`])[0], `0 ${own} failing frame`, own)
  }
})

test('own frames of the same chain go before a library, those of another failure after it', async t => {
  const cause = { chains: [0, 0], roots: [1] }
  t.same(ranked(['0:a.go', '1:vendor/b.io/b/b.go'], cause), [
    '1 a.go frame 0 of Error in the same chain',
    '1 vendor/b.io/b/b.go frame 1, in a library that the repository keeps',
  ])
  const other = { chains: [0, 1], roots: [0, 1] }
  t.same(ranked(['0:a.go', '1:vendor/b.io/b/b.go'], other), [
    '1 vendor/b.io/b/b.go frame 1, in a library that the repository keeps',
    '20 a.go frame 0 of another failure in the text (Error)',
  ])
})
