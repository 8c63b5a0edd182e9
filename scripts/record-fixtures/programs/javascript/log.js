const pino = require('pino')
const { checkout } = require('./cart.js')

const log = pino({ base: { pid: 1, hostname: 'web' }, timestamp: () => ',"time":"2026-11-21T22:20:01.123Z"' })
log.info('started')
try {
  checkout([{ count: 1 }])
} catch (error) {
  log.error(error, 'request failed')
}
log.info({ route: '/pay' }, 'done')
