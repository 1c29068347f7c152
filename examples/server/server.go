// API_URL=... APP_ID=... API_KEY=... go run server.go
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

type object map[string]any

// Refused is what the service says when it does not do what was asked.
type Refused struct {
	Code    string
	Message string
}

func (refused *Refused) Error() string { return refused.Code + ": " + refused.Message }

var client = http.Client{Timeout: 10 * time.Second}

// chorale makes a call and reads the data of the answer into data.
func chorale(method, path string, body object, data any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, os.Getenv("API_URL")+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	request.Header.Set("appId", os.Getenv("APP_ID"))
	request.Header.Set("apikey", os.Getenv("API_KEY"))
	request.Header.Set("content-type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer := struct {
		Data  any
		Error *Refused
	}{Data: data}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	return nil
}

// signUp is for when somebody signs up. Called again, it changes nothing.
func signUp(uid, name string) error {
	err := chorale("POST", "/users", object{"uid": uid, "name": name}, nil)
	var refused *Refused
	if errors.As(err, &refused) && refused.Code == "ERR_UID_ALREADY_EXISTS" {
		return nil
	}
	return err
}

// logIn is for when somebody has logged in: it returns the token for their page or app.
func logIn(uid string) (string, error) {
	var token struct{ AuthToken string }
	err := chorale("POST", "/users/"+uid+"/auth_tokens", object{"lifetimeSeconds": 86400}, &token)
	return token.AuthToken, err
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	must(signUp("ann", "Ann"))
	must(signUp("bob", "Bob"))
	must(signUp("ann", "Ann"))
	token, err := logIn("ann")
	must(err)
	fmt.Println("token", token)
	members := object{"admins": []string{"ann"}, "participants": []string{"bob"}}
	must(chorale("POST", "/groups", object{"guid": "team", "name": "Team", "type": "private", "members": members}, nil))
	must(chorale("POST", "/messages", object{
		"receiver":     "team",
		"receiverType": "group",
		"category":     "message",
		"type":         "text",
		"data":         object{"text": "Welcome, both of you."},
	}, nil))
	var messages []struct {
		Sender string
		Data   struct{ Text string }
	}
	must(chorale("GET", "/groups/team/messages?categories=message", nil, &messages))
	for _, message := range messages {
		fmt.Printf("%s: %s\n", message.Sender, message.Data.Text)
	}
}
