// What a page does beyond reading and forms: a file that is dropped on a field is its text, buttons copy, an answer
// that streams in moves nothing and gives the page its address, a job says how it stands, and no form is sent twice.

/** Fills the field with the text of a file that is dropped on it. */
function takeDrops(field) {
  field.addEventListener('dragover', event => event.preventDefault())
  field.addEventListener('drop', async event => {
    const [file] = event.dataTransfer.files
    if (file === undefined) return
    event.preventDefault()
    field.value = await file.text()
  })
}

/** The address of the page, without what only this reader asked of it. */
const pageAddress = () => document.location.origin + document.location.pathname

const textOf = what => (what === 'link' ? pageAddress() : document.querySelector(what).value)

/** Shows a button that copies, where the browser can. */
function offerCopy(button) {
  const label = button.textContent
  button.hidden = navigator.clipboard === undefined
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textOf(button.dataset.copy))
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = label
    }, 2000)
  })
}

const ADDRESSES = ['href', 'action', 'hx-get', 'hx-post']

/** Makes this the page of the answer that a link in it leads to: its address, its links and its forms. */
function takeAddress(link, room) {
  const before = document.location.pathname
  const { pathname } = new URL(link.href)
  link.parentElement.remove()
  document.querySelector('[data-asks]').inert = room.querySelector('.answer') !== null // else it may be asked again
  for (const name of ADDRESSES) {
    for (const element of document.querySelectorAll(`[${name}^="${before}"]`)) {
      element.setAttribute(name, pathname + element.getAttribute(name).slice(before.length))
    }
  }
  window.history.replaceState(null, '', pathname)
}

function noticeOf(text) {
  const notice = document.createElement('p')
  notice.setAttribute('role', 'alert')
  notice.textContent = text
  return notice
}

/** Gives what comes in a room of its own, so that nothing below it moves, and says so when its end does not come. */
function keepRoom(form) {
  const room = document.querySelector(form.dataset.streams)
  form.addEventListener('submit', () => room.classList.add('streamed'))
  function checkEnd() {
    if (room.querySelector('p') !== null) return // an answer that is whole has its author, an error its words
    room.append(noticeOf('The connection was lost before the answer was whole. Ask again.'))
  }
  form.addEventListener('htmx:sse:close', checkEnd)
  form.addEventListener('htmx:error', checkEnd)
  new window.MutationObserver(() => {
    const link = room.querySelector('a[data-address]')
    if (link !== null) takeAddress(link, room)
  }).observe(room, { childList: true, subtree: true })
}

const setDisabled = (form, value) => form.querySelectorAll('button').forEach(button => (button.disabled = value))

/** Sends a form once, also one that came live: what it starts may cost something. */
function sendOnce({ target: form }) {
  if (!form.matches('[method="post"]:not([data-streams])')) return
  setTimeout(() => setDisabled(form, true)) // the button that was pressed is part of what is sent, so later
}

/** Asks no more for what a session that has ended may not see, and says so. */
function endStream({ target, detail }) {
  if (detail.status !== 401) return
  target.replaceWith(noticeOf('The session has ended: this page is as it was then. Load it again to sign in.'))
}

/** How near its end a log is shown to its end: less than a line may be missing. */
const NEAR = 24

/** Says in the title how the job of a page stands, and keeps of its log what is in view: its end, while it grows. */
function followJob() {
  let before = null
  document.addEventListener('htmx:sse:before:message', () => {
    const log = document.querySelector('.log')
    if (log === null) return
    const { scrollTop, scrollHeight, clientHeight } = log
    before = scrollHeight - scrollTop - clientHeight < NEAR ? null : scrollTop
  })
  document.addEventListener('htmx:sse:after:message', () => {
    const log = document.querySelector('.log')
    if (log !== null) log.scrollTop = before ?? log.scrollHeight
    document.title = document.querySelector('[data-title]')?.dataset.title ?? document.title
  })
}

document.addEventListener('htmx:sse:error', endStream)
document.querySelectorAll('form[data-streams]').forEach(keepRoom)
document.addEventListener('submit', sendOnce)
followJob()
window.addEventListener('pageshow', () => document.querySelectorAll('form').forEach(form => setDisabled(form, false)))
document.querySelectorAll('textarea[data-drop]').forEach(takeDrops)
document.querySelectorAll('[data-copy]').forEach(offerCopy)
