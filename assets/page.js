// What a page does beyond reading and forms: a file that is dropped on a field is its text, buttons copy, and an answer
// that streams in moves nothing.

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

const textOf = what => (what === 'link' ? document.URL : document.querySelector(what).value)

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

/** Gives what comes in a room of its own, so that nothing below it moves. */
function keepRoom(form) {
  form.addEventListener('submit', () => {
    document.querySelector(form.dataset.streams)?.classList.add('streamed')
  })
}

document.querySelectorAll('form[data-streams]').forEach(keepRoom)
document.querySelectorAll('textarea[data-drop]').forEach(takeDrops)
document.querySelectorAll('[data-copy]').forEach(offerCopy)
