import { test } from 'tap'
import { filesByWords } from '../../../../src/pipelines/task/context/task-words.ts'

const found = (description: string, paths: readonly string[]): string[] =>
  filesByWords(description, paths).map(({ path }) => path)

test('a word of more than three letters finds the files of its name, in any case and script', t => {
  const paths = ['src/Header.vue', 'src/api.ts', 'src/корзина.py', 'src/user_profile.rb', 'src/other.ts']
  t.same(found('добавь компонент кнопки логаута в Header.vue', paths), ['src/Header.vue'])
  t.same(found('the HEADER is too high', paths), ['src/Header.vue'])
  t.same(found('Корзина пуста', paths), ['src/корзина.py'])
  t.same(found('the api of it', paths), [], 'three letters')
  t.same(found('', paths), [])
  t.end()
})

test('parts of camel and snake case are words; plurals are one with their singulars', t => {
  const paths = ['lib/user_profile.rb', 'lib/UserProfile.ts', 'lib/user-profile.css', 'lib/profile.go', 'lib/user.go']
  t.same(found('userProfile shows no name', paths).sort(), [...paths].sort())
  t.same(found('profiles of users', paths).sort(), [...paths].sort())
  t.same(found('userProfile', ['b/profile.go', 'a/user_profile.rb']), ['a/user_profile.rb', 'b/profile.go'])
  t.same(found('no-unused-vars is too strict', ['a/no-var.js', 'no-unused-vars.js', 'no.js']), [
    'no-unused-vars.js',
    'a/no-var.js',
  ])
  t.same(found('parser', ['content_type_parser_of_the_whole.js']), [], 'one word of many')
  t.end()
})

test('the best come first, tests last; a word in the names of many files chooses none of them', t => {
  t.same(found('mend the cart', ['test/cart.test.ts', 'src/deep/down/cart.ts', 'src/cart.ts', 'src/cart_view.ts']), [
    'src/cart.ts',
    'src/deep/down/cart.ts',
    'src/cart_view.ts',
    'test/cart.test.ts',
  ])
  const many = Array.from({ length: 50 }, (_, at) => `packages/p${at}/index.ts`)
  t.same(found('the index of the cart', [...many, 'cart.ts']), ['cart.ts'])
  t.end()
})

test('words of every task, and words that are no letters, name nothing', t => {
  t.same(found('this should have been that which must make it', ['this.ts', 'should.py', 'make.ts']), [])
  t.same(found('!!! ... ```` ____ $$$$', ['.ts', '....', 'a.ts', '$$$$.ts', '.env.example']), [])
  t.end()
})

test('a description of 100,000 characters is read in time', t => {
  t.same(found('cart '.repeat(20_000), ['cart.ts']), ['cart.ts'])
  t.same(found('x'.repeat(100_000), ['cart.ts']), [])
  t.end()
})
