self.addEventListener('push', (event) => {
  const { title, body, tag, conversationId } = event.data.json()
  // A push with the same tag replaces the one before: an edit, or a deletion.
  const options = { body, tag, data: { conversationId } }
  event.waitUntil(self.registration.showNotification(title, options))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { conversationId } = event.notification.data
  const page = `/?conversation=${encodeURIComponent(conversationId)}`
  event.waitUntil(self.clients.openWindow(page))
})
