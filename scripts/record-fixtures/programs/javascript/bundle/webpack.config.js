module.exports = { mode: 'development', entry: './index.ts', context: __dirname, output: { path: '/tmp/shop-bundle' } }
