#!/usr/bin/env bash
# A script, with curl: forms by -d and -F, JSON by -d without a content type, queries by -G.
# API_URL=... APP_ID=... API_KEY=... MANAGEMENT_URL=... MANAGEMENT_KEY=... MANAGEMENT_SECRET=... bash chat.sh
set -euo pipefail

calls=0
answer=''

# call WHAT STATUS PATH [options of curl]: leaves the text of the answer in $answer.
call() {
  local what=$1 status=$2 path=$3
  shift 3
  request "$what" "$status" "$API_URL$path" -H "appId: $APP_ID" -H "apikey: $API_KEY" "$@"
}

# The same for the operator, about the webhooks of the app.
manage() {
  local what=$1 status=$2 path=$3
  shift 3
  request "$what" "$status" "$MANAGEMENT_URL/apps/$APP_ID/webhooks$path" \
    -H "key: $MANAGEMENT_KEY" -H "secret: $MANAGEMENT_SECRET" -H 'X-Webhook-Version: 2' "$@"
}

request() {
  local what=$1 status=$2 url=$3 found
  shift 3
  answer=$(curl --silent --show-error --globoff --max-time 60 --write-out '\n%{http_code}' "$@" "$url")
  found=${answer##*$'\n'}
  answer=${answer%$'\n'*}
  if [ "$found" != "$status" ]; then fail "$what: $found $answer"; fi
  calls=$((calls + 1))
  echo "ok $calls $what"
}

fail() {
  echo "$1" >&2
  exit 1
}

# Whether the answer holds each of these texts.
has() {
  local text
  for text in "$@"; do
    if [[ $answer != *"$text"* ]]; then fail "no $text in $answer"; fi
  done
}

lacks() {
  if [[ $answer == *"$1"* ]]; then fail "there is $1 in $answer"; fi
}

# The uids, guids or triggers of a list, in its order.
ids() {
  grep -o "\"$1\": *\"[^\"]*\"" <<<"$answer" | cut -d '"' -f 4 | paste -s -d ' '
}

is() {
  if [ "$1" != "$2" ]; then fail "expected $2, found $1 in $answer"; fi
}

first_id() {
  grep -o '"id":"[0-9]*"' <<<"$answer" | head -n 1 | tr -dc '0-9'
}

json=(-H 'Content-Type: application/json')
untyped=(-H 'Content-Type:')
ann=(-H 'onBehalfOf: ann')
bob=(-H 'onBehalfOf: bob')

# Users
call 'sign up by a form, with a token' 200 /users -d uid=Ann -d name=Ann -d withAuthToken=1 -d 'metadata[plan]=free'
has '"uid":"ann"' '"authToken":"ann_' '"metadata":{"plan":"free"}'
call 'sign up again' 400 /users -d uid=ann -d name=Ann
has '"code":"ERR_UID_ALREADY_EXISTS"'
call 'sign up by JSON that curl calls a form' 200 /users -d '{"uid": "bob", "name": "Bob", "tags": ["blue"]}'
has '"uid":"bob"' '"tags":["blue"]'
call 'sign up by JSON without a type' 200 /users "${untyped[@]}" -d '{"uid": 4711, "name": "Cyd", "avatar": null}'
has '"uid":"4711"'
call 'sign up by a form without a type' 200 /users "${untyped[@]}" -d 'uid=dee&name=Dee&tags=red&tags=tall'
has '"tags":["red","tall"]'
call 'sign up with encoded fields' 200 /users -d uid=eve --data-urlencode 'name=Eve & Söhne' \
  --data-urlencode 'metadata={"age": 41}' --data-urlencode 'avatar=https://example.com/a.png?b=c&d=e'
has '"name":"Eve & Söhne"' '"metadata":{"age":41}' '"avatar":"https://example.com/a.png?b=c&d=e"'
call 'sign up with nothing' 400 /users -X POST
has '"uid":["This field is required."]' '"name":["This field is required."]'
call 'create a token without a body' 200 /users/bob/auth_tokens -X POST
has '"authToken":"bob_'
call 'create a token by a form' 200 /users/bob/auth_tokens -d force=true
call 'update a user by a form' 200 /users/bob -X PUT -d statusMessage=away -d 'tags[]=blue' -d 'tags[]=tall'
has '"statusMessage":"away"' '"tags":["blue","tall"]'
call 'update a user by a form in parts' 200 /users/bob -X PUT -F 'metadata={"age": 30}' -F 'tags[]=blue' -F 'tags[]=tall'
has '"metadata":{"age":30}' '"tags":["blue","tall"]'
call 'get a user' 200 /users/BOB
has '"uid":"bob"'
call 'get nobody' 404 /users/nobody
has '"code":"ERR_UID_NOT_FOUND"'

# Lists of users
call 'list users with tags' 200 '/users?withTags=1&tags=blue,red'
has '"tags":["blue","tall"]'
is "$(ids uid)" 'bob dee'
call 'list users without tags' 200 '/users?withTags=0&tags[]=blue'
lacks '"tags"'
call 'list users by pages' 200 /users -G -d per_page=2 -d page=3
has '"total":5,"count":1,"per_page":2,"current_page":3,"total_pages":3'
call 'search users' 200 /users -G --data-urlencode 'searchKey=Eve & S' -d searchIn=name -d role=
is "$(ids uid)" eve

# Groups
call 'create a group by a form' 200 /groups -d guid=team -d name=Team -d type=private -d owner=ann -d 'members[participants][]=bob'
has '"guid":"team"' '"membersCount":2'
call 'create it again' 400 /groups -d guid=team -d name=Team -d type=private
has '"code":"ERR_GUID_ALREADY_EXISTS"'
call 'create a group by JSON' 200 /groups "${json[@]}" -d '{"guid": "news", "name": "News", "type": "public", "tags": "press"}'
call 'add members by a form' 200 /groups/team/members -d 'participants[]=4711' -d 'participants[]=eve' -d 'admins[]=dee'
has '"4711":{"success":true' '"dee":{"success":true'
call 'change a scope' 200 /groups/team/members/eve -X PUT -d scope=moderator
call 'list members by scope' 200 '/groups/team/members?scopes=admin,moderator'
is "$(ids uid)" 'ann dee eve'
call 'list my groups' 200 '/groups?hasJoined=True' "${bob[@]}"
is "$(ids guid)" team
call 'list groups by tag' 200 '/groups?tags[]=press&withTags=TRUE'
is "$(ids guid)" news

# Messages
to_team=(-d receiver=team -d receiverType=group -d category=message -d type=text)
call 'send a text by a form' 200 /messages "${ann[@]}" "${to_team[@]}" --data-urlencode 'data[text]=one & all' -d 'tags[]=sum'
has '"text":"one & all"' '"sender":"ann"' '"conversationId":"group_team"'
first=$(first_id)
call 'send a text by JSON' 200 /messages "${bob[@]}" -d '{"receiver": "team", "receiverType": "group", "data": {"text": "two"}}'
has '"text":"two"' '"category":"message"' '"type":"text"'
second=$(first_id)
call 'send a custom message' 200 /messages "${ann[@]}" -d receiver=bob -d receiverType=user -d category=custom -d type=place \
  --data-urlencode 'data={"customData": {"latitude": 52.5}}'
has '"customData":{"latitude":52.5}'
call 'send to several' 200 /messages "${ann[@]}" -d 'multipleReceivers[uids][]=bob' -d 'multipleReceivers[uids][]=dee' -d 'data[text]=three'
has '"bob":{"id":' '"dee":{"id":' '"text":"three"'
call 'list messages since' 200 "/groups/team/messages?category=message&fromTimestamp=$(($(date +%s) - 600))000" "${bob[@]}"
is "$(ids text)" 'one & all two'
call 'list the page before' 200 "/groups/team/messages?limit=1&affix=prepend&id=$second&categories=message,custom" "${bob[@]}"
is "$(ids text)" 'one & all'
call 'list messages by tag' 200 '/groups/team/messages?tags=sum&withTags=1'
has '"tags":["sum"]'
call 'edit a message' 200 "/messages/$first" -X PUT "${ann[@]}" -d 'data[text]=ONE'
is "$(ids text)" ONE
call 'react' 200 "/messages/$first/reactions/%F0%9F%91%8D" -X POST "${bob[@]}"
call 'list reactions' 200 "/messages/$first/reactions"
has '"reaction":"👍"' '"uid":"bob"'
call 'list conversations' 200 '/conversations?conversationType=user&unread=1' "${bob[@]}"
has '"conversationId":"ann_user_bob"' '"unreadMessageCount":"1"'
call 'mark as read' 200 /users/ann/conversation/read -X POST "${bob[@]}"
call 'count what is unread' 200 '/messages?unread=1&count=1&receiverType=user' "${bob[@]}"
has '"data":[]'
call 'delete a message' 200 "/messages/$second" -X DELETE "${bob[@]}" -d permanent=1

# Who may not, and who is what
call 'ban a member' 200 /groups/team/bannedusers/4711 -X POST
call 'list banned users' 200 /groups/team/bannedusers
is "$(ids uid)" 4711
call 'unban a member' 200 /groups/team/bannedusers/4711 -X DELETE
call 'create a role' 200 /roles -d role=Teacher -d name=Teacher
call 'create it again' 400 /roles -d role=teacher -d name=Teacher
has '"details":{"role":'

# Webhooks
manage 'create a webhook by a form' 200 '' -d id=hook -d name=Hook -d webhookURL=https://example.com/in -d enabled=1 -d 'triggers[]=message_sent'
has '"enabled":true' '"signingSecret":'
manage 'add triggers' 200 /hook/triggers -d 'triggerIds=group_created,group_deleted'
manage 'list triggers' 200 /hook/triggers
is "$(ids id)" 'message_sent group_created group_deleted'
manage 'delete a webhook' 200 /hook -X DELETE

# The end
call 'deactivate users' 200 /users -X DELETE -d 'uidsToDeactivate[]=dee' -d 'uidsToDeactivate[]=nobody'
has '"deactivatedUids":["dee"]' '"notFound":["nobody"]'
call 'delete a user' 200 /users/eve -X DELETE -d permanent=true
call 'get the deleted user' 404 /users/eve
call 'delete a group' 200 /groups/team -X DELETE
