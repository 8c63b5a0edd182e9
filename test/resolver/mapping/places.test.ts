import { test } from 'tap'
import { fileIndexOf } from '../../../src/resolver/code/file-index.ts'
import { rememberTexts } from '../../../src/resolver/code/file-texts.ts'
import { NO_OUTPUTS } from '../../../src/resolver/mapping/outputs.ts'
import { packagesOf } from '../../../src/resolver/mapping/packages.ts'
import { placesOf } from '../../../src/resolver/mapping/places.ts'
import type { Project } from '../../../src/resolver/mapping/project.ts'
import { frame } from './map-one.ts'

function projectOf(...paths: string[]): Project {
  const index = fileIndexOf(paths.map(path => ({ repository: 'shop', path })))
  const texts = rememberTexts(() => 'x = 1\n')
  return { index, texts, packages: packagesOf(index, () => null), outputs: NO_OUTPUTS, maps: new Map() }
}

test('frames that print the same file are one place', async t => {
  const frames = [frame('/app/cart.py', { line: 1 }), frame('/app/till.py'), frame('/app/cart.py', { line: 9 })]
  const places = placesOf(frames, projectOf('src/cart.py'))
  const [first, second, third] = frames.map(one => places.get(one))
  t.equal(first, third)
  t.not(first, second)
  t.same(first?.frames, [frames[0], frames[2]])
  t.same(
    first?.scored.map(({ candidate }) => candidate.file.path),
    ['src/cart.py'],
  )
  t.same(second?.scored, [])
})

test('the package of a JVM frame tells the folder, so that two classes of a name are two places', async t => {
  const frames = ['com.acme.till.Cart.total', 'com.acme.shop.Cart.total'].map(printed =>
    frame('Cart.java', { function: printed }),
  )
  const places = placesOf(frames, projectOf('src/com/acme/shop/Cart.java'))
  t.same(
    frames.map(one => places.get(one)?.path.path),
    ['com/acme/till/Cart.java', 'com/acme/shop/Cart.java'],
  )
})

test('where the project has applications, the printed one tells whose folder it is', async t => {
  const one = frame('lib/cart.ex', { raw: '(till 1.0.0) lib/cart.ex:3: Till.total/1' })
  t.match(placesOf([one], projectOf('mix.exs', 'lib/cart.ex')).get(one), {
    path: { origin: 'library', library: { kind: 'hex', package: 'till' } },
    scored: [],
  })
  t.match(placesOf([one], projectOf('lib/cart.ex')).get(one), { path: { origin: 'project' } })
})

test('a frame without file and package has no place', async t => {
  t.equal(placesOf([frame(null)], projectOf('a.py')).size, 0)
})
