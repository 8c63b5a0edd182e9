/** 123456 → '1,234.56' */
export function money (cents) {
  const sign = cents < 0 ? '-' : ''
  const whole = Math.floor(Math.abs(cents) / 100).toString().replace(/\B(?=(\d{3})+$)/g, ',')
  return `${sign}${whole}.${String(Math.abs(cents) % 100).padStart(2, '0')}`
}
