// What React prints of the components above the one that failed.
const { createElement } = require('react')
const { renderToPipeableStream } = require('react-dom/server')
const { Writable } = require('node:stream')

function Price ({ line }) {
  return createElement('b', null, line.product.price)
}

function Cart ({ lines }) {
  return createElement('ul', null, lines.map((line, key) => createElement('li', { key }, createElement(Price, { line }))))
}

renderToPipeableStream(createElement(Cart, { lines: [{ count: 1 }] }), {
  onError (error, { componentStack }) {
    console.error(error.stack.split('\n').slice(0, 3).join('\n'))
    console.error('The above error occurred in the <Price> component:\n' + componentStack)
  }
}).pipe(new Writable({ write (chunk, encoding, done) { done() } })).on('error', () => {})
