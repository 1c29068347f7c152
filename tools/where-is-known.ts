/**
 * Operations that another module serves than the one that describes them, each with both. The list only gets
 * shorter: a new operation is served by the module of its contract, and an entry that is no longer true fails.
 */
const reviewsLieInMessages = 'moderation -> messages'

export const knownElsewhere: Readonly<Record<string, string>> = {
  flagMessage: reviewsLieInMessages,
  listBlockedMessages: reviewsLieInMessages,
  listBlockedMessagesOfApp: reviewsLieInMessages,
  listFlaggedMessages: reviewsLieInMessages,
  listReviewedMessages: reviewsLieInMessages,
  reviewBlockedMessage: reviewsLieInMessages,
  reviewBlockedMessageOfApp: reviewsLieInMessages,
  reviewFlaggedMessage: reviewsLieInMessages,
  deleteSubmission: reviewsLieInMessages,
  getSubmission: reviewsLieInMessages,
  listSubmissions: reviewsLieInMessages,
  submitMessage: reviewsLieInMessages,
  updateSubmission: reviewsLieInMessages,
}
