const paths = {
  back: 'M15 5l-7 7 7 7',
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M4 12h15M13 6l6 6-6 6',
  attach: 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.5 3.5 0 0 1 5 5l-8.5 8.5a2 2 0 0 1-3-3L14 7',
  smile: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8.5 14a4.5 4.5 0 0 0 7 0M9 9.5v.01M15 9.5v.01',
  reply: 'M10 6l-6 6 6 6M4 12h10a6 6 0 0 1 6 6',
  thread: 'M4 5h16v11H9l-5 4z',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  delete: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20',
  people:
    'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 20a6.5 6.5 0 0 1 13 0M15.5 5.5a3.5 3.5 0 0 1 0 6.5M18 14.5a6.5 6.5 0 0 1 3.5 5.5',
  down: 'M12 5v14M6 13l6 6 6-6',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2',
  check: 'M5 12.5l5 5L19.5 7',
  checks: 'M2 12.5l5 5L16 7M12 17l.5.5L22 7',
  alert: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v5M12 16v.01',
  file: 'M6 3h8l5 5v13H6zM14 3v5h5',
  pin: 'M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6',
} as const

/** A picture that says nothing by itself: what holds it has a name. */
export function Icon({ name }: { readonly name: keyof typeof paths }) {
  return (
    <svg className="chorale-icon" data-icon={name} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
