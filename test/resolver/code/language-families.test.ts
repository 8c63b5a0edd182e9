import { test } from 'tap'
import { languageFamily } from '../../../src/resolver/code/language-families.ts'

test('languages that call each other are one family, whatever the case of the extension', async t => {
  t.equal(languageFamily('web/app.ts'), languageFamily('web/App.VUE'))
  t.equal(languageFamily('a/Cart.java'), languageFamily('b/Cart.kt'))
  t.not(languageFamily('cart.py'), languageFamily('cart.rb'))
})

test('an extension that is not listed is a family of its own, and so is none', async t => {
  t.equal(languageFamily('main.go'), '.go')
  t.equal(languageFamily('deep.folder/Makefile'), '.')
})
