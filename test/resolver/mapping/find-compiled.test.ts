import { test } from 'tap'
import { frame, map, mapOne } from './map-one.ts'

test('a bundle that was published under the name of a source is not that source', async t => {
  const files = { 'package.json': '{"name": "kit"}', 'src/index.js': 'export function parse () {\n  return 1\n}\n' }
  t.match(mapOne(files, frame('/app/node_modules/kit/index.js', { line: 13_652, function: 'Parser.raise' })), {
    path: null,
  })
  t.match(mapOne(files, frame('/app/node_modules/kit/index.js', { line: 2, function: 'parse' })), {
    path: 'src/index.js',
    match: 'package',
  })
})

test('compiled output is found by name with the function as the anchor; its lines say nothing', async t => {
  const files = {
    'src/cart/total.ts': '// licence\n\nexport function total (cart: Cart) {\n  return 1\n}\n',
    'src/till/total.ts': 'export const rate = 1\n',
    'types/cart/total.d.ts': 'export function total(): void\n',
  }
  for (const file of [
    '/app/dist/cart/total.js',
    '/app/dist/esm/cart/total.mjs',
    '/app/build/total.min.js',
    'dist/cjs/cart/total.cjs',
  ]) {
    t.match(
      mapOne(files, frame(file, { line: 900, function: 'Object.total' })),
      { path: 'src/cart/total.ts', match: 'symbol', codeLine: 3, line: 900 },
      file,
    )
  }
  t.match(mapOne(files, frame('/app/dist/cart/total.js', { function: 'gone' })), { path: null })
  const library = { ...files, 'package.json': '{"name": "kit"}' }
  t.match(mapOne(library, frame('/app/node_modules/kit/dist/cart/total.js', { function: 'total' })), {
    path: 'src/cart/total.ts',
    match: 'symbol',
  })
})

test('what was published or copied without its output folder is found by its path and its functions', async t => {
  const router =
    'export class Router {\n  rate = 1\n\n  protected async route(\n    path: string,\n  ): Promise<void> {\n' +
    '    return this.find(path)\n  }\n\n  find(path: string) { return 1 }\n}\n'
  const files = {
    'package.json': '{"name": "kit"}',
    'src/routing/Router.ts': router,
    'src/other/Router.ts': router,
    'src/user/user.service.ts': router,
    'src/main.ts': router,
    'packages/core/package.json': '{"name": "@acme/core"}',
    'packages/core/router/router-proxy.mts': router,
    'deep/down/user/user.guard.ts': router,
  }
  const compiled = { line: 2192, function: 'Router.route' }
  t.match(mapOne(files, frame('/app/node_modules/kit/routing/Router.js', compiled)), {
    path: 'src/routing/Router.ts',
    match: 'symbol',
    inProject: true,
    codeLine: 4,
    why:
      'package kit is ./; compiled from src/routing/Router.ts; the printed line says nothing there; route ' +
      'begins at line 4',
  })
  t.match(mapOne(files, frame('/app/node_modules/@acme/core/router/router-proxy.js', compiled)), {
    path: 'packages/core/router/router-proxy.mts',
    codeLine: 4,
  })
  t.match(mapOne(files, frame('/usr/src/app/user/user.service.js', compiled)), {
    path: 'src/user/user.service.ts',
    match: 'symbol',
    codeLine: 4,
  })
  t.match(mapOne(files, frame('C:\\app\\user\\user.service.js', compiled)), { path: 'src/user/user.service.ts' })
  t.match(
    mapOne(files, frame('/srv/app/dist/routing/Router.js', compiled)),
    { path: 'src/routing/Router.ts', codeLine: 4 },
    'with its output folder as before',
  )

  t.match(mapOne(files, frame('/app/node_modules/kit/routing/Router.js', { ...compiled, function: 'Router.gone' })), {
    path: null,
    why: /^package kit is \.\/, but no file there is routing\/Router\.js/,
  })
  t.match(mapOne(files, frame('/app/node_modules/left/routing/Router.js', compiled)), {
    path: null,
    why: 'the frame is in a library (left), not in the project',
  })
  t.match(mapOne(files, frame('/usr/src/app/users/user.service.js', compiled)), { path: null }, 'another folder')
  t.match(mapOne(files, frame('/usr/src/app/main.js', compiled)), { path: null }, 'a base name alone')
  t.match(mapOne(files, frame('/usr/src/app/user/user.guard.js', compiled)), { path: null }, 'below no source root')
  const [outside] = map(files, [
    frame('/home/u/app/user/user.service.js', compiled),
    frame('/home/u/app/node_modules/kit/routing/Router.js', compiled),
  ])
  t.match(outside, { path: null }, 'in a program that uses the package')
})
