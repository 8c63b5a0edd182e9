function first () {
  throw new Error('first mirror is down')
}

async function second () {
  throw new RangeError('second mirror is slow', { cause: { host: 'b' } })
}

async function fetchAny () {
  await Promise.any([new Promise(first), second()])
}

fetchAny()
