import { test } from 'tap'
import { CODE, frame, mapOne } from './map-one.ts'

test('paths of Windows do not tell cases apart; elsewhere another case is the last resort', async t => {
  t.match(mapOne({ 'Shop.Api/Carts/Cart.cs': CODE }, frame('d:\\a\\1\\s\\shop.api\\carts\\cart.cs')), {
    path: 'Shop.Api/Carts/Cart.cs',
    match: 'suffix',
  })
  t.match(mapOne({ 'src/Cart.py': CODE, 'src/x/cart.py': CODE }, frame('/app/src/x/cart.py')), {
    path: 'src/x/cart.py',
  })
  t.match(mapOne({ 'src/Cart.py': CODE }, frame('/app/src/cart.py')), { path: 'src/Cart.py' })
})
