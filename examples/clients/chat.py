"""A Python back end, with requests.

API_URL=... APP_ID=... API_KEY=... MANAGEMENT_URL=... MANAGEMENT_KEY=... MANAGEMENT_SECRET=... python3 chat.py
"""

import json
import os
import time

import requests

APP_ID = os.environ["APP_ID"]

session = requests.Session()

calls = 0


def call(what, method, path, status=200, as_user=None, **request):
    """A call of the app's server. Returns the JSON of its answer, be it a success or a failure."""
    headers = {"appId": APP_ID, "apikey": os.environ["API_KEY"], "onBehalfOf": as_user}
    return send(what, method, os.environ["API_URL"] + path, status, headers, request)


def manage(what, method, path, status=200, **request):
    """A call of the operator, about the webhooks of the app."""
    keys = {"key": os.environ["MANAGEMENT_KEY"], "secret": os.environ["MANAGEMENT_SECRET"]}
    url = f"{os.environ['MANAGEMENT_URL']}/apps/{APP_ID}/webhooks{path}"
    return send(what, method, url, status, {**keys, "X-Webhook-Version": "2"}, request)


def send(what, method, url, status, headers, request):
    global calls
    answer = session.request(method, url, headers=headers, timeout=60, **request)
    assert answer.status_code == status, f"{what}: {answer.status_code} {answer.text}"
    calls += 1
    print(f"ok {calls} {what}", flush=True)
    return answer.json()


def uids(answer):
    return [user["uid"] for user in answer["data"]]


def texts(answer):
    return [message["data"]["text"] for message in answer["data"]]


def sign_up():
    ann = {"uid": "Ann", "name": "Ann", "avatar": None, "metadata": {"plan": "free"}, "withAuthToken": True}
    user = call("sign up with a token", "POST", "/users", json=ann)["data"]
    assert user["uid"] == "ann" and user["authToken"].startswith("ann_")
    assert user["metadata"] == {"plan": "free"} and "avatar" not in user

    error = call("sign up again", "POST", "/users", 400, json=ann)["error"]
    assert error["code"] == "ERR_UID_ALREADY_EXISTS"

    form = {"uid": "bob", "name": "Bob", "tags": ["blue", "tall"], "metadata": json.dumps({"age": 41}), "link": None}
    user = call("sign up by a form", "POST", "/users", data=form)["data"]
    assert user["tags"] == ["blue", "tall"] and user["metadata"] == {"age": 41}

    user = call("sign up with a number as the id", "POST", "/users", json={"uid": 4711, "name": "Cyd", "tags": "red,tall"})
    assert user["data"]["uid"] == "4711" and user["data"]["tags"] == ["red", "tall"]

    user = call("sign up by a form with a boolean", "POST", "/users", data={"uid": "dee", "name": "Dee", "withAuthToken": True})
    assert user["data"]["authToken"]

    token = call("create a token", "POST", "/users/bob/auth_tokens", json={"force": True})["data"]
    assert token["uid"] == "bob" and token["authToken"]
    call("create a token without a body", "POST", "/users/bob/auth_tokens")
    found = call("list tokens", "GET", "/users/bob/auth_tokens", params={"perPage": 1})
    assert found["meta"]["pagination"]["total"] == 2 and len(found["data"]) == 1

    user = call("update a user", "PUT", "/users/bob", json={"statusMessage": "away", "unset": ["metadata"]})["data"]
    assert user["statusMessage"] == "away" and "metadata" not in user

    error = call("sign up with nothing", "POST", "/users", 400, json={})["error"]
    assert set(error["details"]) == {"uid", "name"}


def list_users():
    found = call("list users with tags", "GET", "/users", params={"tags": ["blue", "red"], "withTags": True, "role": None})
    assert uids(found) == ["bob", "4711"] and found["data"][0]["tags"] == ["blue", "tall"]
    found = call("list users without tags", "GET", "/users", params={"tags[]": ["blue"], "withTags": False})
    assert uids(found) == ["bob"] and "tags" not in found["data"][0]
    found = call("list users by pages", "GET", "/users", params={"per_page": 3, "page": 2})
    assert found["meta"]["pagination"] == {"total": 4, "count": 1, "per_page": 3, "current_page": 2, "total_pages": 2}
    found = call("search users", "GET", "/users", params={"searchKey": "bo", "searchIn": "name,uid", "onlyDeactivated": False})
    assert uids(found) == ["bob"]
    assert call("get a user", "GET", "/users/ANN")["data"]["name"] == "Ann"
    assert call("get nobody", "GET", "/users/nobody", 404)["error"]["code"] == "ERR_UID_NOT_FOUND"


def groups():
    team = {"guid": "team", "name": "Team", "type": "private", "owner": "ann", "members": {"participants": ["bob"]}}
    group = call("create a group", "POST", "/groups", json={**team, "password": None, "metadata": {}, "tags": []})["data"]
    assert group["guid"] == "team" and group["membersCount"] == 2
    assert call("create it again", "POST", "/groups", 400, json=team)["error"]["code"] == "ERR_GUID_ALREADY_EXISTS"
    call("create a group by a form", "POST", "/groups", data={"guid": "news", "name": "News", "type": "PUBLIC", "tags": "press"})

    added = call("add members", "POST", "/groups/team/members", json={"participants": [4711], "moderators": ["dee"]})["data"]
    assert added["participants"]["4711"]["success"] and added["moderators"]["dee"]["success"]
    call("change a scope", "PUT", "/groups/team/members/dee", data={"scope": "admin"})
    found = call("list members by scope", "GET", "/groups/team/members", params={"scopes": ["admin", "moderator"]})
    assert sorted(uids(found)) == ["ann", "dee"] and found["data"][0]["scope"] == "admin"
    found = call("list my groups", "GET", "/groups", as_user="bob", params={"hasJoined": True, "withTags": False})
    assert [group["guid"] for group in found["data"]] == ["team"] and found["data"][0]["hasJoined"] is True
    found = call("list groups by type and tag", "GET", "/groups", params={"types": "public,password", "tags": ["press"]})
    assert [group["guid"] for group in found["data"]] == ["news"]


def messages():
    text = {"receiver": "team", "receiverType": "group", "category": "message", "type": "text"}
    first = call("send a text to a group", "POST", "/messages", as_user="ann", json={**text, "data": {"text": "one"}, "muid": None})
    first = first["data"]
    assert first["sender"] == "ann" and first["conversationId"] == "group_team" and first["data"]["text"] == "one"
    form = {**text, "data[text]": "two", "data[metadata][lang]": "en", "tags[]": ["a", "b"]}
    second = call("send a text by a form", "POST", "/messages", as_user="bob", data=form)["data"]
    assert second["data"]["metadata"] == {"lang": "en"} and int(second["id"]) > int(first["id"])
    place = {"latitude": 52.5, "longitude": 13.4}
    custom = {"receiver": 4711, "receiverType": "user", "category": "custom", "type": "location", "data": {"customData": place}}
    message = call("send a custom message", "POST", "/messages", as_user="ann", json=custom)["data"]
    assert message["receiver"] == "4711" and message["data"]["customData"] == place
    many = {"multipleReceivers": {"uids": ["bob", "dee"], "guids": ["team"]}, "category": "message", "type": "text"}
    sent = call("send to several", "POST", "/messages", as_user="ann", json={**many, "data": {"text": "three"}})["data"]
    assert sent["uids"]["bob"]["data"]["text"] == "three" and sent["guids"]["team"]["receiver"] == "team"
    call("send to nobody", "POST", "/messages", 404, as_user="ann", json={**custom, "receiver": "nobody"})

    since = {"fromTimestamp": int(time.time() * 1000) - 600_000, "hideDeleted": True, "hideReplies": False}
    found = call("list messages since", "GET", "/groups/team/messages", as_user="bob", params={**since, "category": "message"})
    assert texts(found) == ["one", "two", "three"]
    last = call("list the last page", "GET", "/groups/team/messages", as_user="bob", params={"limit": 2, "categories": "message"})
    assert texts(last) == ["two", "three"]
    before = {"limit": 2, "id": last["data"][0]["id"], "affix": "prepend", "types": ["text"]}
    found = call("list the page before", "GET", "/groups/team/messages", as_user="bob", params=before)
    assert texts(found) == ["one"]
    found = call("list messages by tag", "GET", "/groups/team/messages", params={"tags": ["b"], "withTags": True})
    assert texts(found) == ["two"] and found["data"][0]["tags"] == ["a", "b"]

    edited = call("edit a message", "PUT", f"/messages/{first['id']}", as_user="ann", json={"data": {"text": "ONE"}})
    assert edited["data"]["data"]["entities"]["on"]["entity"]["data"]["text"] == "ONE"
    call("react", "POST", f"/messages/{first['id']}/reactions/👍", as_user="bob")
    found = call("list reactions", "GET", f"/messages/{first['id']}/reactions")
    assert found["data"][0]["reaction"] == "👍" and found["data"][0]["uid"] == "bob"
    reply = {**text, "data": {"text": "answer"}}
    reply = call("reply", "POST", f"/messages/{first['id']}/thread", as_user="bob", json=reply)["data"]
    assert reply["parentId"] == first["id"]

    found = call("list unread conversations", "GET", "/conversations", as_user="dee", params={"unread": True})
    assert {one["conversationId"] for one in found["data"]} == {"group_team", "ann_user_dee"}
    call("mark as read", "POST", "/groups/team/conversation/read", as_user="dee", json={"messageId": int(second["id"])})
    found = call("count what is unread", "GET", "/messages", as_user="dee", params={"unread": True, "count": True})
    assert {one["entityId"]: one["count"] for one in found["data"]} == {"team": 1, "ann": 1}

    call("delete a message", "DELETE", f"/messages/{second['id']}", as_user="bob", json={"permanent": False})
    call("delete a message of another", "DELETE", f"/messages/{first['id']}", 403, as_user="bob")


def moderate():
    call("ban a member", "POST", "/groups/team/bannedusers/4711")
    assert uids(call("list banned users", "GET", "/groups/team/bannedusers", params={"perPage": 10})) == ["4711"]
    call("unban a member", "DELETE", "/groups/team/bannedusers/4711")
    call("block a user", "POST", "/users/ann/blockedusers", data={"blockedUids": ["dee"]})
    assert uids(call("list blocked users", "GET", "/users/ann/blockedusers", params={"direction": "blockedByMe"})) == ["dee"]
    call("create a role", "POST", "/roles", json={"role": "Teacher", "name": "Teacher", "settings": {"listUsers": "all"}})
    error = call("create it again", "POST", "/roles", 400, data={"role": "teacher", "name": "Teacher"})["error"]
    assert "role" in error["details"]
    assert call("give a role", "PUT", "/users/dee", data={"role": "teacher"})["data"]["role"] == "teacher"
    assert uids(call("list users by role", "GET", "/users", params={"roles": ["teacher"]})) == ["dee"]


def webhooks():
    hook = {"id": "hook", "name": "Hook", "webhookURL": "https://example.com/in", "enabled": True}
    triggers = ["message_sent", "group_created"]
    made = manage("create a webhook", "POST", "", json={**hook, "triggers": triggers})["data"]
    assert made["enabled"] is True and made["signingSecret"]
    added = {"triggerIds": ["user_mentioned", "nonsense"]}
    added = manage("add triggers by a form", "POST", "/hook/triggers", data=added)["data"]
    assert added["user_mentioned"]["success"] and not added["nonsense"]["success"]
    found = manage("list triggers", "GET", "/hook/triggers")
    assert [one["id"] for one in found["data"]] == [*triggers, "user_mentioned"]
    hook = manage("switch it off by a form", "PUT", "/hook", data={"enabled": False})["data"]
    assert hook["enabled"] is False
    manage("delete a webhook", "DELETE", "/hook")
    assert manage("list webhooks", "GET", "", params={"perPage": 10})["data"] == []


def clean_up():
    done = call("deactivate users", "DELETE", "/users", json={"uidsToDeactivate": ["dee", "nobody"]})["data"]
    assert done == {"deactivatedUids": ["dee"], "notFound": ["nobody"]}
    assert uids(call("list deactivated users", "GET", "/users", params={"onlyDeactivated": True})) == ["dee"]
    call("reactivate users", "PUT", "/users", json={"uidsToActivate": ["dee"]})
    call("delete a group", "DELETE", "/groups/news")
    call("delete a user", "DELETE", "/users/dee", json={"permanent": True})
    call("get the deleted user", "GET", "/users/dee", 404)


sign_up()
list_users()
groups()
messages()
moderate()
webhooks()
clean_up()
