import { test } from 'tap'
import { mapFrames } from '../../../src/resolver/mapping/map-frames.ts'
import { CODE, frame } from './map-one.ts'

test(
  "an operator's mapping goes before every rule, the longest first; in_app_exclude keeps the file and " +
    'leaves the frame out',
  async t => {
    const files = { 'other/cart.py': CODE, 'src/cart.py': CODE, 'lib/kit/a.js': CODE }
    const list = Object.keys(files).map(path => ({ repository: 'shop', path }))
    const mapWith = (
      file: string,
      pathMappings: Array<{ from: string; to: string }>,
      isExcluded?: (path: string) => boolean,
    ) =>
      mapFrames([frame(file)], list, (_, path) => (files as Record<string, string>)[path] ?? null, {
        pathMappings,
        isExcluded,
      })[0]
    t.match(
      mapWith('/app/cart.py', [
        { from: '/', to: 'src' },
        { from: '/app/', to: 'other/' },
      ]),
      { path: 'other/cart.py', match: 'override', why: "the project's path mapping from /app/ to other/" },
    )
    t.match(mapWith('C:\\App\\cart.py', [{ from: 'c:\\app', to: 'other' }]), {
      path: 'other/cart.py',
      match: 'override',
    })
    t.match(mapWith('/x/node_modules/kit/a.js', [{ from: '/x/node_modules', to: 'lib' }]), {
      path: 'lib/kit/a.js',
      match: 'override',
    })
    t.match(mapWith('/application/src/cart.py', [{ from: '/app', to: 'other' }]), {
      path: 'src/cart.py',
      match: 'suffix',
    })
    t.match(
      mapWith('/app/src/cart.py', [{ from: '/app', to: 'gone' }])?.why,
      /leads to gone\/src\/cart\.py, which is not in the index$/,
    )
    t.match(
      mapWith('/app/src/cart.py', [], path => path.startsWith('src/')),
      { path: 'src/cart.py', inProject: false, match: 'suffix', why: /in_app_exclude leaves it out$/ },
    )
  },
)
