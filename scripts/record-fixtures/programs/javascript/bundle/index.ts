import { price } from './missing'
import { broken } from './broken.js'

console.log(price, broken)
