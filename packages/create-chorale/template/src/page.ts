export function element(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no element "${id}".`)
  return found
}

export function input(id: string): HTMLInputElement {
  const found = element(id)
  if (!(found instanceof HTMLInputElement)) throw new Error(`"${id}" is no input.`)
  return found
}
