// Prints the receipt of an order: node src/main.js orders/1041.json
import { readFileSync } from 'node:fs'
import { checkOut } from './checkout.js'

const [file = 'orders/1041.json'] = process.argv.slice(2)
const order = JSON.parse(readFileSync(file, 'utf8'))

console.log(checkOut(order))
