const { checkout } = require('./cart.js')

async function main () {
  await Promise.all([Promise.resolve(), pay()])
}

async function pay () {
  await null
  checkout([{ count: 1 }])
}

main()
